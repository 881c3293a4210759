// Square matrices in batches.
#ifndef BASELINES_OPS_LINALG_MATRICES_H_
#define BASELINES_OPS_LINALG_MATRICES_H_

#include <cstdint>

#include "baselines/ops/both.h"

namespace diopi::ops {

struct Matrices {
  int64_t count, n;

  int64_t numel() const { return count * n * n; }
  // The place of element (row, column) of a matrix, or of its transpose.
  DIOPI_HD int64_t At(int64_t matrix, int64_t row, int64_t column, bool transposed = false) const {
    return (matrix * n + (transposed ? column : row)) * n + (transposed ? row : column);
  }
};

inline Shape BatchOf(const Tensor& tensor) {
  Check(tensor.rank() >= 2, "expected matrices, got shape ", ShapeText(tensor.shape()));
  return Shape(tensor.shape().begin(), tensor.shape().end() - 2);
}

inline Matrices SquareMatrices(const Tensor& tensor) {
  const Shape batch = BatchOf(tensor);
  Check(tensor.size(-1) == tensor.size(-2), "expected square matrices, got shape ",
        ShapeText(tensor.shape()));
  return {Numel(batch), tensor.size(-1)};
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_LINALG_MATRICES_H_
