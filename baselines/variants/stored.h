// Numbers as a tensor stores them, for variants whose steps are tensor operations of their own.
#ifndef BASELINES_VARIANTS_STORED_H_
#define BASELINES_VARIANTS_STORED_H_

#include "baselines/ops/support/dtype.h"

namespace diopi::variants {

// x as a tensor of this dtype has it: rounded to 16 bits, or as it is.
template <typename C>
C Stored(diopiDtype_t dtype, const C& x) {
  if (dtype == diopi_dtype_float16)
    return static_cast<C>(ops::FromFloat16(ops::ToFloat16(static_cast<double>(x))));
  if (dtype == diopi_dtype_bfloat16)
    return static_cast<C>(ops::FromBfloat16(ops::ToBfloat16(static_cast<double>(x))));
  return x;
}

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_STORED_H_
