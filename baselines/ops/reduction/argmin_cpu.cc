// argmin: the position of the least element along a dimension, or in the flattened input when dim is null.
// The first of equals; NaN is less than every number.
#include "baselines/ops/reduction/reduction_common.h"

DIOPI_KERNEL(diopiArgmin, a) {
  using namespace diopi::ops;
  const Tensor x(a.input);
  Check(a.dim != nullptr || x.numel() > 0, "argmin of an empty tensor needs a dim");
  Extremes(Tensor(), a.out, x, a.dim == nullptr ? Shape{} : Shape{*a.dim}, false);
}
