// argmax: the position of the greatest element along a dimension, or in the flattened input when dim is null.
// The first of equals; NaN is greater than every number.
#include "baselines/ops/reduction/extreme_cuda.h"

DIOPI_KERNEL(diopiArgmax, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  Check(a.dim != nullptr || x.numel() > 0, "argmax of an empty tensor needs a dim");
  cuda::Extremes(a.ctx, Tensor(), a.out, x, a.dim == nullptr ? Shape{} : Shape{*a.dim}, true);
}
