// expand: the input broadcast to out's shape.
#include "baselines/ops/support/tensor.h"

DIOPI_KERNEL(diopiExpand, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  DispatchAny(x.dtype(), [&]<typename C>() { Store(result, LoadAs<C>(x, result.shape())); });
}
