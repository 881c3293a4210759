// A list of index tensors, as index and index_put take it. Null entries take their whole dimension; bool and
// uint8 entries are masks; the others broadcast together. As in PyTorch, the indexed dimensions replace the
// first of them when they are adjacent, and are in front otherwise.
#ifndef BASELINES_OPS_INDEX_INDEX_LIST_H_
#define BASELINES_OPS_INDEX_INDEX_LIST_H_

#include <utility>
#include <vector>

#include "baselines/ops/index/index_common.h"

namespace diopi::ops {

// One index tensor per dimension of the input; absent where the whole dimension is taken.
struct Indices {
  std::vector<bool> given;
  std::vector<std::vector<int64_t>> positions;  // broadcast to `shape`
  Shape shape;
};

// A mask over r dimensions is r index vectors: the coordinates of its true elements.
inline void ExpandMask(const Tensor& mask, const Shape& covered,
                       std::vector<std::pair<Shape, std::vector<int64_t>>>* lists) {
  CheckShape(mask, covered, "mask index");
  const std::vector<int64_t> truth = Load<int64_t>(mask);
  std::vector<std::vector<int64_t>> coordinates(covered.size());
  const Shape strides = DenseStrides(covered);
  for (size_t i = 0; i < truth.size(); ++i) {
    if (truth[i] == 0) continue;
    for (size_t d = 0; d < covered.size(); ++d) {
      coordinates[d].push_back(static_cast<int64_t>(i) / strides[d] % covered[d]);
    }
  }
  for (std::vector<int64_t>& list : coordinates) {
    const Shape shape{static_cast<int64_t>(list.size())};
    lists->emplace_back(shape, std::move(list));
  }
}

// Repeats a dense list of shape `from` along the dimensions that `to` broadcasts.
inline std::vector<int64_t> BroadcastList(const std::vector<int64_t>& list, const Shape& from,
                                          const Shape& to) {
  std::vector<int64_t> result(static_cast<size_t>(Numel(to)));
  const Shape to_strides = DenseStrides(to), from_strides = DenseStrides(from);
  const size_t skip = to.size() - from.size();
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t at = 0;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t coordinate = static_cast<int64_t>(i) / to_strides[d + skip] % to[d + skip];
      if (from[d] != 1) at += coordinate * from_strides[d];
    }
    result[i] = list[static_cast<size_t>(at)];
  }
  return result;
}

inline Indices ReadIndices(const Shape& input, diopiConstTensorHandle_t* handles, int64_t count) {
  std::vector<std::pair<Shape, std::vector<int64_t>>> lists;
  Indices result;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor index(handles[i]);
    const size_t before = lists.size();
    if (!index) {
      lists.emplace_back();
    } else if (IsMask(index)) {
      Check(before + index.shape().size() <= input.size(), "too many indices");
      const auto first = input.begin() + static_cast<int64_t>(before);
      ExpandMask(index, Shape(first, first + index.rank()), &lists);
    } else {
      lists.emplace_back(index.shape(), Load<int64_t>(index));
    }
    result.given.insert(result.given.end(), lists.size() - before, static_cast<bool>(index));
  }
  Check(lists.size() <= input.size(), "too many indices (", lists.size(), ") for an input of ", input.size(),
        " dimensions");
  for (size_t d = 0; d < lists.size(); ++d) {
    if (result.given[d]) result.shape = BroadcastShapes(result.shape, lists[d].first);
  }
  result.positions.resize(input.size());
  result.given.resize(input.size(), false);
  for (size_t d = 0; d < lists.size(); ++d) {
    if (!result.given[d]) continue;
    result.positions[d] = BroadcastList(lists[d].second, lists[d].first, result.shape);
    for (int64_t& position : result.positions[d]) position = WrapIndex(position, input[d]);
  }
  return result;
}

// The shape of what the list picks, and for each of its elements the position in the input.
struct Target {
  Shape shape;
  std::vector<int64_t> positions;
};

inline Target Resolve(const Shape& input, const Indices& indices) {
  Target target;
  const size_t start = BlockStart(indices.given);
  std::vector<size_t> kept;  // input dimensions taken whole, in order
  for (size_t d = 0; d < input.size(); ++d) {
    if (!indices.given[d]) kept.push_back(d);
  }
  for (const size_t d : kept) target.shape.push_back(input[d]);
  target.shape.insert(target.shape.begin() + static_cast<int64_t>(start), indices.shape.begin(),
                      indices.shape.end());
  const Shape strides = DenseStrides(input), target_strides = DenseStrides(target.shape);
  const Shape block_strides = DenseStrides(indices.shape);
  target.positions.resize(static_cast<size_t>(Numel(target.shape)));
  for (size_t i = 0; i < target.positions.size(); ++i) {
    const auto coordinate = [&](size_t d) {
      return static_cast<int64_t>(i) / target_strides[d] % target.shape[d];
    };
    size_t in_block = 0;
    for (size_t d = 0; d < indices.shape.size(); ++d) {
      in_block += static_cast<size_t>(coordinate(start + d) * block_strides[d]);
    }
    int64_t position = 0;
    for (size_t d = 0; d < input.size(); ++d) {
      if (indices.given[d]) position += indices.positions[d][in_block] * strides[d];
    }
    for (size_t j = 0; j < kept.size(); ++j) {
      position += coordinate(j < start ? j : j + indices.shape.size()) * strides[kept[j]];
    }
    target.positions[i] = position;
  }
  return target;
}

// The positions to which the list points in an input of this shape.
inline Target ResolveIndices(const Shape& input, diopiConstTensorHandle_t* handles, int64_t count) {
  return Resolve(input, ReadIndices(input, handles, count));
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_INDEX_INDEX_LIST_H_
