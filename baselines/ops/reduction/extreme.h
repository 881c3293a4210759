// Which of two elements is the extreme one, shared by the CPU reference and the NVIDIA reference.
#ifndef BASELINES_OPS_REDUCTION_EXTREME_H_
#define BASELINES_OPS_REDUCTION_EXTREME_H_

#include "baselines/ops/support/hd.h"

namespace diopi::ops {

// True when `a` replaces `b` as the extreme so far: PyTorch keeps the first of equals, and the first NaN.
template <typename C>
DIOPI_HD bool MoreExtreme(const C& a, const C& b, bool greatest) {
  if (b != b) return false;
  if (a != a) return true;
  return greatest ? a > b : a < b;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_REDUCTION_EXTREME_H_
