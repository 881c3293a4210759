// stack: tensors of one shape side by side along a new dimension.
#include "baselines/ops/tensor/join.h"

DIOPI_KERNEL(diopiStack, a) {
  using namespace diopi::ops;
  Check(a.numTensors > 0, "expected a non-empty list of tensors");
  const Tensor result(a.out);
  const int64_t wrapped = WrapDim(a.dim, result.rank());
  const Axis axis = SplitAxis(result.shape(), wrapped);
  Shape shape = result.shape();
  Check(!shape.empty() && axis.size == a.numTensors, "out must have size ", a.numTensors, " along dimension ",
        wrapped);
  shape.erase(shape.begin() + wrapped);
  DispatchAny(result.dtype(), [&]<typename C>() {
    std::vector<C> values(static_cast<size_t>(result.numel()));
    for (int64_t i = 0; i < a.numTensors; ++i) {
      const Tensor piece(a.tensors[i]);
      CheckShape(piece, shape, "a tensor");
      const std::vector<C> part = Load<C>(piece);
      ForEachInPiece(axis, i, 1, [&](size_t to, size_t from) { values[to] = part[from]; });
    }
    Store(result, values);
  });
}
