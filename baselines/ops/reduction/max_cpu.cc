// max along one dimension with the positions, and over everything. NaN is greater than every number.
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiMax, a) {
  using namespace diopi::ops;
  Extremes(a.max, a.max_indices, a.input, Shape{a.dim}, true);
}

DIOPI_KERNEL(diopiMaxAll, a) {
  using namespace diopi::ops;
  Extremes(a.max, Tensor(), a.input, Shape{}, true);
}
