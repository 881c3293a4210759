// Shared by the CPU and the NVIDIA reference.
#ifndef BASELINES_OPS_RANDOM_MANTISSA_BITS_H_
#define BASELINES_OPS_RANDOM_MANTISSA_BITS_H_

#include "baselines/ops/support/abi.h"

namespace diopi::ops {

// The bits of a uniform number that the type can hold below 1.
inline int MantissaBits(diopiDtype_t dtype) {
  switch (static_cast<int>(dtype)) {
    case diopi_dtype_float16:
      return 11;
    case diopi_dtype_bfloat16:
      return 8;
    case diopi_dtype_float32:
      return 24;
    default:
      return 53;
  }
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_RANDOM_MANTISSA_BITS_H_
