// stack: tensors of one shape side by side along a new dimension.
#include "baselines/ops/support/cuda/map.h"

namespace diopi::ops::cuda {
namespace {

void Stack(diopiContextHandle_t ctx, const Tensor& out, diopiConstTensorHandle_t* tensors, int64_t count,
           int64_t dim) {
  Check(count > 0, "expected a non-empty list of tensors");
  const Queue queue(ctx);
  const int64_t axis = WrapDim(dim, out.rank());
  Shape shape = out.shape(), strides = out.strides();
  Check(!shape.empty() && shape[static_cast<size_t>(axis)] == count, "out must have size ", count,
        " along dimension ", axis);
  const int64_t step = strides[static_cast<size_t>(axis)];
  shape.erase(shape.begin() + axis);
  strides.erase(strides.begin() + axis);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor piece(tensors[i]);
    CheckShape(piece, shape, "a tensor");
    DispatchAny(out.dtype(), [&]<typename C>() {
      Copy(queue, piece.numel(), Out<C>::Part(out, i * step, shape, strides), In<C>(piece));
    });
  }
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiStack, a) {
  using namespace diopi::ops;
  cuda::Stack(a.ctx, a.out, a.tensors, a.numTensors, a.dim);
}
