// min along one dimension with the positions, and over everything. NaN is less than every number.
#include "baselines/ops/reduction/extreme_cuda.h"

DIOPI_KERNEL(diopiMin, a) {
  using namespace diopi::ops;
  cuda::Extremes(a.ctx, a.min, a.min_indices, a.input, Shape{a.dim}, false);
}

DIOPI_KERNEL(diopiMinAll, a) {
  using namespace diopi::ops;
  cuda::Extremes(a.ctx, a.min, Tensor(), a.input, Shape{}, false);
}
