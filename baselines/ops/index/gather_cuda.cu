// gather: out[i][j][k] = input[index[i][j][k]][j][k] for dim 0, and so on.
#include "baselines/ops/index/index_cuda.h"

namespace diopi::ops::cuda {
namespace {

void Gather(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, int64_t dim, const Tensor& index) {
  CheckShape(out, index.shape(), "out");
  const IndexedShapes shapes(x.shape(), index.shape(), WrapDim(dim, x.rank()));
  const Target target(In<int64_t>(index), shapes, x.strides());
  DispatchAny(x.dtype(), [&]<typename C>() {
    ForEach(Queue(ctx), index.numel(), PickElements<C>{target, x.data(), x.dtype(), Out<C>(out)});
  });
}

// An element that was picked several times gets the sum of the gradients.
void GatherBackward(diopiContextHandle_t ctx, const Tensor& grad_input, const Tensor& grad, const Tensor& x,
                    int64_t dim, const Tensor& index) {
  CheckShape(grad_input, x.shape(), "grad_input");
  CheckShape(grad, index.shape(), "grad_output");
  const IndexedShapes shapes(x.shape(), index.shape(), WrapDim(dim, x.rank()));
  const Target target(In<int64_t>(index), shapes, DenseStrides(x.shape()));
  DispatchAny(ResultType(grad_input, {grad}), [&]<typename C>() {
    ScatterElements(Queue(ctx), grad_input, Tensor(), index.numel(), target, In<C>(grad),
                    ScatterReduce::kAdd);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiGather, a) {
  using namespace diopi::ops;
  cuda::Gather(a.ctx, a.out, a.input, a.dim, a.index);
}

DIOPI_KERNEL(diopiGatherBackward, a) {
  using namespace diopi::ops;
  cuda::GatherBackward(a.ctx, a.grad_input, a.grad_output, a.input, a.dim, a.index);
}
