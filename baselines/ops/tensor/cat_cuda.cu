// cat: tensors end to end along an existing dimension. A 1-d empty tensor among them is skipped, as PyTorch
// does for old code's sake. Zero tensors are an error.
#include <vector>

#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/tensor/join.h"

namespace diopi::ops::cuda {
namespace {

void Cat(diopiContextHandle_t ctx, const Tensor& out, const std::vector<Tensor>& pieces, int64_t dim) {
  const Queue queue(ctx);
  const auto axis = static_cast<size_t>(WrapDim(dim, out.rank()));
  const int64_t whole = out.size(dim), stride = out.rank() > 0 ? out.strides()[axis] : 0;
  int64_t start = 0;
  for (const Tensor& piece : pieces) {
    Shape expected = out.shape();
    Check(piece.rank() == out.rank(), "tensors must have the same number of dimensions");
    const int64_t size = piece.size(dim);
    expected[axis] = size;
    CheckShape(piece, expected, "a tensor");
    Check(start + size <= whole, "the tensors exceed out along dimension ", axis);
    DispatchAny(out.dtype(), [&]<typename C>() {
      Copy(queue, piece.numel(), Out<C>::Part(out, start * stride, expected, out.strides()), In<C>(piece));
    });
    start += size;
  }
  Check(start == whole, "the tensors do not fill out along dimension ", axis);
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiCat, a) {
  using namespace diopi::ops;
  const Tensor result(a.out);
  cuda::Cat(a.ctx, result, PiecesOf(result, a.tensors, a.num_inputs), a.dim);
}
