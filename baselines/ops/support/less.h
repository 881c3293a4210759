// The order of elements, shared by the CPU reference and the NVIDIA reference.
#ifndef BASELINES_OPS_SUPPORT_LESS_H_
#define BASELINES_OPS_SUPPORT_LESS_H_

#include "baselines/ops/support/hd.h"

namespace diopi::ops {

// PyTorch's order: NaN is greater than every number, equal to itself.
template <typename C>
DIOPI_HD bool Less(const C& a, const C& b) {
  return a < b || (b != b && a == a);
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_LESS_H_
