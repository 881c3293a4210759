// permute: dimension i of out is dimension dims[i] of the input.
#include "baselines/ops/both.h"

DIOPI_KERNEL(diopiPermute, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input);
  Shape order = Sizes(a.dims);
  const size_t distinct = WrapDims(order, x.rank()).size();  // refuses repetitions
  Check(order.empty() ? x.rank() == 0 : static_cast<int64_t>(distinct) == x.rank(),
        "dims must name every dimension once");
  for (int64_t& d : order) d = WrapDim(d, x.rank());
  DispatchAny(x.dtype(), [&]<typename C>() {
    both::MapTo<C>(both::Queue(a.ctx), result, both::Same(), x.Permuted(order));
  });
}
