// Included before every kernel of this library (-include): the kernels' own dispatch, but float32 runs on
// numbers that count the operations on them. There are no other floating types here.
#ifndef BASELINES_COUNTING_DISPATCH_H_
#define BASELINES_COUNTING_DISPATCH_H_

#define DispatchFloating ReferenceDispatchFloating
#define DispatchNumeric ReferenceDispatchNumeric
#define DispatchAny ReferenceDispatchAny
#include "baselines/ops/support/dtype.h"
#undef DispatchFloating
#undef DispatchNumeric
#undef DispatchAny

#include "baselines/counting/counted.h"

namespace diopi::ops {

template <typename F>
void DispatchFloating(diopiDtype_t dtype, F&& f) {
  if (dtype != diopi_dtype_float32) FailDtype("not implemented for '", DtypeName(dtype), "'");
  f.template operator()<Counted>();
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

#endif  // BASELINES_COUNTING_DISPATCH_H_
