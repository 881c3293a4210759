// From an element type to the type that a kernel computes in: like support/dtype.h, without the oracle's
// types.
#ifndef BASELINES_OPS_SUPPORT_CUDA_COMPUTE_H_
#define BASELINES_OPS_SUPPORT_CUDA_COMPUTE_H_

#include "baselines/ops/support/dtype.h"

namespace diopi::ops::cuda {

// f.template operator()<C>() with C float or double. FailDtype for everything else.
template <typename F>
void DispatchFloating(diopiDtype_t dtype, F&& f) {
  switch (dtype) {
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
    case diopi_dtype_float32:
      return f.template operator()<float>();
    case diopi_dtype_float64:
      return f.template operator()<double>();
    default:
      FailDtype("not implemented for '", DtypeName(dtype), "'");
  }
}

// Floating and integers (int64_t), not bool.
template <typename F>
void DispatchNumeric(diopiDtype_t dtype, F&& f) {
  if (IsInteger(dtype)) return f.template operator()<int64_t>();
  DispatchFloating(dtype, f);
}

// Floating, integers and bool (int64_t): for operators that move elements.
template <typename F>
void DispatchAny(diopiDtype_t dtype, F&& f) {
  if (IsBool(dtype)) return f.template operator()<int64_t>();
  DispatchNumeric(dtype, f);
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_COMPUTE_H_
