// Addressing by index tensors, shared by gather, scatter, index_select, index_put and embedding.
#ifndef BASELINES_OPS_INDEX_INDEX_COMMON_H_
#define BASELINES_OPS_INDEX_INDEX_COMMON_H_

#include <algorithm>
#include <string_view>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// A position counted from the end when negative; Fail outside [-size, size).
inline int64_t WrapIndex(int64_t index, int64_t size) {
  Check(index >= -size && index < size, "index ", index, " is out of bounds for a dimension of size ", size);
  return index < 0 ? index + size : index;
}

// The shapes of a tensor and of an index tensor along one of its dimensions, 0-d ones as vectors of one. As
// in PyTorch's gather and scatter, the index tensor may be smaller than the tensor in the other dimensions.
// Fail for shapes that do not match.
struct IndexedShapes {
  Shape shape;
  Shape index;
  size_t axis;
  IndexedShapes(const Shape& of_tensor, const Shape& of_index, int64_t dim)
      : shape(of_tensor.empty() ? Shape{1} : of_tensor),
        index(of_index.empty() ? Shape{1} : of_index),
        axis(static_cast<size_t>(dim)) {
    Check(shape.size() == index.size(),
          "index must have as many dimensions as the input: ", ShapeText(of_index), " and ",
          ShapeText(of_tensor));
    for (size_t d = 0; d < shape.size(); ++d) {
      Check(Numel(index) == 0 || d == axis || index[d] <= shape[d], "index shape ", ShapeText(of_index),
            " exceeds shape ", ShapeText(of_tensor), " at dimension ", d);
    }
  }
};

// Advances to the next element of a dense tensor of that shape, from the last one to the first.
inline void ToNext(const Shape& shape, Shape* at) {
  for (size_t d = shape.size(); d > 0 && ++(*at)[d - 1] == shape[d - 1]; --d) (*at)[d - 1] = 0;
}

// For each element of an index tensor, in order: the position in a dense tensor of shape `of_tensor` that has
// the same coordinates but index[i] along `dim`.
inline std::vector<int64_t> PositionsAlong(const Shape& of_tensor, const Shape& of_index, int64_t dim,
                                           const std::vector<int64_t>& index) {
  const IndexedShapes shapes(of_tensor, of_index, dim);
  const Shape &shape = shapes.shape, &index_shape = shapes.index;
  const size_t axis = shapes.axis;
  const Shape strides = DenseStrides(shape);
  Shape at(shape.size(), 0);
  std::vector<int64_t> positions(index.size());
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t position = 0;
    for (size_t d = 0; d < at.size(); ++d) {
      position += (d == axis ? WrapIndex(index[i], shape[d]) : at[d]) * strides[d];
    }
    positions[i] = position;
    ToNext(index_shape, &at);
  }
  return positions;
}

// The shape of `count` slices selected along a dimension. A 0-d tensor has one.
inline Shape SelectedShape(Shape shape, int64_t dim, const Tensor& index) {
  Check(index.rank() <= 1, "index must be a vector, got shape ", ShapeText(index.shape()));
  const int64_t count = index.numel();
  if (shape.empty()) {
    Check(count == 1, "expected one index for a 0-d input, got ", count);
    return shape;
  }
  shape[static_cast<size_t>(WrapDim(dim, static_cast<int64_t>(shape.size())))] = count;
  return shape;
}

// Index tensors that are masks: one for each element of the dimensions they cover.
inline bool IsMask(const Tensor& tensor) {
  return IsBool(tensor.dtype()) || tensor.dtype() == diopi_dtype_uint8;
}

// The position of the block of indexed dimensions among the kept ones, as in PyTorch: that of the first of
// them when they are adjacent, and the front otherwise.
inline size_t BlockStart(const std::vector<bool>& indexed) {
  const auto first = std::find(indexed.begin(), indexed.end(), true);
  auto end = first;
  while (end != indexed.end() && *end) ++end;
  const bool adjacent = std::find(end, indexed.end(), true) == indexed.end();
  return adjacent ? static_cast<size_t>(first - indexed.begin()) : 0;
}

// What scatter does with the present element.
enum class ScatterReduce { kReplace, kAdd, kMultiply };

inline ScatterReduce ParseScatterReduce(const char* reduce) {
  const std::string_view name = reduce == nullptr ? "" : reduce;
  if (name.empty()) return ScatterReduce::kReplace;
  if (name == "add") return ScatterReduce::kAdd;
  Check(name == "multiply", "reduce must be '', 'add' or 'multiply', got '", name, "'");
  return ScatterReduce::kMultiply;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_INDEX_INDEX_COMMON_H_
