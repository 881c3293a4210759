// equal: whether two tensors have one shape and equal elements. NaN equals nothing.
#include "baselines/ops/support/tensor.h"

DIOPI_KERNEL(diopiEqual, a) {
  using namespace diopi::ops;
  const Tensor x(a.input), y(a.other);
  Check(a.out != nullptr, "out is null");
  *a.out = false;
  if (x.shape() != y.shape()) return;
  DispatchAny(ResultType(x, {x, y}), [&]<typename C>() { *a.out = Load<C>(x) == Load<C>(y); });
}
