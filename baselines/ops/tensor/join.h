// Copies between one tensor and its pieces along a dimension, shared by cat, stack and split.
#ifndef BASELINES_OPS_TENSOR_JOIN_H_
#define BASELINES_OPS_TENSOR_JOIN_H_

#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// Calls f(position in the whole, position in the piece) for every element of a piece of `size` slices that
// starts at slice `start` of the whole.
template <typename F>
void ForEachInPiece(const Axis& whole, int64_t start, int64_t size, F&& f) {
  for (int64_t o = 0; o < whole.outer; ++o) {
    for (int64_t i = 0; i < size * whole.inner; ++i) {
      f(static_cast<size_t>((o * whole.size + start) * whole.inner + i),
        static_cast<size_t>(o * size * whole.inner + i));
    }
  }
}

// The tensors that cat joins: without empty 1-d tensors, which PyTorch ignores for old code's sake. Fail for
// an empty list.
inline std::vector<Tensor> PiecesOf(const Tensor& out, diopiConstTensorHandle_t* tensors, int64_t count) {
  Check(count > 0, "expected a non-empty list of tensors");
  std::vector<Tensor> pieces;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor piece(tensors[i]);
    if (piece.shape() != Shape{0} || out.rank() == 1) pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_TENSOR_JOIN_H_
