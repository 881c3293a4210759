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

}  // namespace diopi::ops

#endif  // BASELINES_OPS_TENSOR_JOIN_H_
