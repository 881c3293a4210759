// Addressing by index tensors, shared by gather, scatter, index_select, index_put and embedding.
#ifndef BASELINES_OPS_INDEX_INDEX_COMMON_H_
#define BASELINES_OPS_INDEX_INDEX_COMMON_H_

#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// A position counted from the end when negative; Fail outside [-size, size).
inline int64_t WrapIndex(int64_t index, int64_t size) {
  Check(index >= -size && index < size, "index ", index, " is out of bounds for a dimension of size ", size);
  return index < 0 ? index + size : index;
}

// For each element of an index tensor of shape `index_shape`, in order: the position in a dense tensor of
// shape `shape` that has the same coordinates but index[i] along `dim`. As PyTorch's gather and scatter, the
// index tensor may be smaller than the tensor in the other dimensions.
inline std::vector<int64_t> PositionsAlong(const Shape& shape, const Shape& index_shape, int64_t dim,
                                           const std::vector<int64_t>& index) {
  if (shape.empty() || index_shape.empty()) {
    std::vector<int64_t> positions = index;
    for (int64_t& position : positions) position = WrapIndex(position, shape.empty() ? 1 : shape[0]);
    return positions;
  }
  Check(shape.size() == index_shape.size(),
        "index must have as many dimensions as the input: ", ShapeText(index_shape), " and ",
        ShapeText(shape));
  const size_t axis = static_cast<size_t>(dim);
  for (size_t d = 0; d < shape.size(); ++d) {
    Check(index.empty() || d == axis || index_shape[d] <= shape[d], "index shape ", ShapeText(index_shape),
          " exceeds shape ", ShapeText(shape), " at dimension ", d);
  }
  const Shape strides = DenseStrides(shape);
  Shape at(shape.size(), 0);
  std::vector<int64_t> positions(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      position += (d == axis ? WrapIndex(index[i], shape[d]) : at[d]) * strides[d];
    }
    positions[i] = position;
    for (size_t d = at.size(); d-- > 0 && ++at[d] == index_shape[d];) at[d] = 0;
  }
  return positions;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_INDEX_INDEX_COMMON_H_
