// amax: the greatest element over any dimensions (none given: all). NaN is greater than every number.
#include "baselines/ops/reduction/extreme_cuda.h"

DIOPI_KERNEL(diopiAmax, a) {
  using namespace diopi::ops;
  cuda::Extremes(a.ctx, a.out, Tensor(), a.self, Sizes(a.dim), true);
}
