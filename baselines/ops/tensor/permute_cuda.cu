// permute: dimension i of out is dimension dims[i] of the input.
#include "baselines/ops/support/cuda/map.h"

namespace diopi::ops::cuda {
namespace {

void Permute(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Shape& order) {
  const size_t distinct = WrapDims(order, x.rank()).size();  // refuses repetitions
  Check(order.empty() ? x.rank() == 0 : static_cast<int64_t>(distinct) == x.rank(),
        "dims must name every dimension once");
  Shape shape, strides;
  for (const int64_t dim : order) {
    const auto d = static_cast<size_t>(WrapDim(dim, x.rank()));
    shape.push_back(x.shape()[d]);
    strides.push_back(x.strides()[d]);
  }
  CheckShape(out, shape, "out");
  DispatchAny(x.dtype(), [&]<typename C>() {
    Copy(Queue(ctx), out.numel(), Out<C>(out), In<C>::Part(x, 0, shape, strides));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiPermute, a) {
  using namespace diopi::ops;
  cuda::Permute(a.ctx, a.out, a.input, Sizes(a.dims));
}
