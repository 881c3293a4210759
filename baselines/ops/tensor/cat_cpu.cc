// cat: tensors end to end along an existing dimension. A 1-d empty tensor among them is skipped, as PyTorch
// does for old code's sake. Zero tensors are an error.
#include "baselines/ops/tensor/join.h"

DIOPI_KERNEL(diopiCat, a) {
  using namespace diopi::ops;
  const Tensor result(a.out);
  const std::vector<Tensor> pieces = PiecesOf(result, a.tensors, a.num_inputs);
  const int64_t wrapped = WrapDim(a.dim, result.rank());
  const Axis axis = SplitAxis(result.shape(), wrapped);
  DispatchAny(result.dtype(), [&]<typename C>() {
    std::vector<C> values(static_cast<size_t>(result.numel()));
    int64_t start = 0;
    for (const Tensor& piece : pieces) {
      Shape expected = result.shape();
      Check(piece.rank() == result.rank(), "tensors must have the same number of dimensions");
      const int64_t size = piece.size(wrapped);
      expected[static_cast<size_t>(wrapped)] = size;
      CheckShape(piece, expected, "a tensor");
      Check(start + size <= axis.size, "the tensors exceed out along dimension ", wrapped);
      const std::vector<C> part = Load<C>(piece);
      ForEachInPiece(axis, start, size, [&](size_t to, size_t from) { values[to] = part[from]; });
      start += size;
    }
    Check(start == axis.size, "the tensors do not fill out along dimension ", wrapped);
    Store(result, values);
  });
}
