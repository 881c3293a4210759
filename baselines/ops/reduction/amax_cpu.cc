// amax: the greatest element over any dimensions (none given: all). NaN is greater than every number.
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiAmax, a) {
  using namespace diopi::ops;
  Extremes(a.out, Tensor(), a.self, Sizes(a.dim), true);
}
