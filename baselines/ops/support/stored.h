// Numbers as a tensor stores them, for variants and injected bugs whose steps are tensor operations of their
// own.
#ifndef BASELINES_OPS_SUPPORT_STORED_H_
#define BASELINES_OPS_SUPPORT_STORED_H_

#include "baselines/ops/support/dtype.h"

namespace diopi::ops {

// x as a tensor of a 16-bit dtype holds it, ties to even; x itself for every other dtype.
template <typename C>
C Stored(diopiDtype_t dtype, const C& x) {
  if (dtype == diopi_dtype_float16) return static_cast<C>(FromFloat16(ToFloat16(static_cast<double>(x))));
  if (dtype == diopi_dtype_bfloat16) return static_cast<C>(FromBfloat16(ToBfloat16(static_cast<double>(x))));
  return x;
}

// The nearest number of a floating dtype, ties to even; x itself for float64 and what is not floating.
inline double RoundedTo(diopiDtype_t dtype, double x) {
  return dtype == diopi_dtype_float32 ? static_cast<double>(static_cast<float>(x)) : Stored(dtype, x);
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_STORED_H_
