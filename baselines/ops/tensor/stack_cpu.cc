// stack: tensors of one shape side by side along a new dimension.
#include "baselines/ops/tensor/join.h"

extern "C" diopiError_t diopiStack(diopiContextHandle_t, diopiTensorHandle_t out,
                                   diopiConstTensorHandle_t* tensors, int64_t numTensors, int64_t dim) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    Check(numTensors > 0, "expected a non-empty list of tensors");
    const Tensor result(out);
    const int64_t wrapped = WrapDim(dim, result.rank());
    const Axis axis = SplitAxis(result.shape(), wrapped);
    Shape shape = result.shape();
    Check(!shape.empty() && axis.size == numTensors, "out must have size ", numTensors, " along dimension ",
          wrapped);
    shape.erase(shape.begin() + wrapped);
    DispatchAny(result.dtype(), [&]<typename C>() {
      std::vector<C> values(static_cast<size_t>(result.numel()));
      for (int64_t i = 0; i < numTensors; ++i) {
        const Tensor piece(tensors[i]);
        CheckShape(piece, shape, "a tensor");
        const std::vector<C> part = Load<C>(piece);
        ForEachInPiece(axis, i, 1, [&](size_t to, size_t from) { values[to] = part[from]; });
      }
      Store(result, values);
    });
  });
}
