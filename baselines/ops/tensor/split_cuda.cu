// split_with_sizes: consecutive pieces along a dimension, into tensors that the caller allocated.
#include "baselines/ops/support/cuda/map.h"

namespace diopi::ops::cuda {
namespace {

void Split(diopiContextHandle_t ctx, diopiTensorHandle_t* outs, int64_t count, const Tensor& x,
           const Shape& sizes, int64_t dim) {
  Check(static_cast<int64_t>(sizes.size()) == count, "expected ", count, " split sizes, got ", sizes.size());
  const Queue queue(ctx);
  const auto axis = static_cast<size_t>(WrapDim(dim, x.rank()));
  const int64_t whole = x.size(dim);
  int64_t start = 0;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor out(outs[i]);
    Shape shape = x.shape();
    const int64_t size = sizes[static_cast<size_t>(i)];
    Check(size >= 0 && start + size <= whole, "the split sizes exceed dimension ", axis);
    shape[axis] = size;
    CheckShape(out, shape, "outs");
    DispatchAny(x.dtype(), [&]<typename C>() {
      Copy(queue, out.numel(), Out<C>(out), In<C>::Part(x, start * x.strides()[axis], shape, x.strides()));
    });
    start += size;
  }
  Check(start == whole, "the split sizes add up to ", start, ", not to ", whole);
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiSplitWithSizes, a) {
  using namespace diopi::ops;
  cuda::Split(a.ctx, a.outs, a.num_outs, a.input, Sizes(a.splitSizes), a.dim);
}
