// Included before every kernel of this library (-include): the kernels' own dispatch, but float16 and
// bfloat16 run on numbers that are rounded to the format after every operation instead of on float.
#ifndef BASELINES_NATIVE16_DISPATCH_H_
#define BASELINES_NATIVE16_DISPATCH_H_

#define DispatchFloating ReferenceDispatchFloating
#define DispatchNumeric ReferenceDispatchNumeric
#define DispatchAny ReferenceDispatchAny
#include "baselines/ops/support/dtype.h"
#undef DispatchFloating
#undef DispatchNumeric
#undef DispatchAny

#include "baselines/native16/narrow.h"

namespace diopi::ops {

template <typename F>
void DispatchFloating(diopiDtype_t dtype, F&& f) {
  switch (static_cast<int>(dtype)) {
    case diopi_dtype_float16:
      return f.template operator()<Narrow<Format16::kFloat16>>();
    case diopi_dtype_bfloat16:
      return f.template operator()<Narrow<Format16::kBfloat16>>();
    case diopi_dtype_float32:
      return f.template operator()<float>();
    default:
      FailDtype("not implemented for '", DtypeName(dtype), "'");
  }
}

template <typename F>
void DispatchNumeric(diopiDtype_t dtype, F&& f) {
  if (IsInteger(dtype)) return f.template operator()<int64_t>();
  DispatchFloating(dtype, f);
}

template <typename F>
void DispatchAny(diopiDtype_t dtype, F&& f) {
  if (IsBool(dtype)) return f.template operator()<int64_t>();
  DispatchNumeric(dtype, f);
}

}  // namespace diopi::ops

#endif  // BASELINES_NATIVE16_DISPATCH_H_
