// A list of index tensors on a GPU: see index_list.h. Masks make the call wait, because the number of
// elements that they choose is a size.
#ifndef BASELINES_OPS_INDEX_INDEX_LIST_CUDA_H_
#define BASELINES_OPS_INDEX_INDEX_LIST_CUDA_H_

#include <vector>

#include "baselines/ops/index/index_cuda.h"

namespace diopi::ops::cuda {

// One index vector of a dimension of the input; absent where the whole dimension is taken.
struct IndexList {
  bool given = false;
  const void* data = nullptr;
  diopiDtype_t dtype = diopi_dtype_int64;
  Shape shape;
  Shape strides;
};

struct FlagElements {
  In<int64_t> mask;
  uint8_t* flags;
  DIOPI_HD void operator()(int64_t i) const { flags[i] = mask[i] != 0 ? 1 : 0; }
};
struct Coordinate {
  const int64_t* positions;
  int64_t* coordinates;
  int64_t stride, size;
  DIOPI_HD void operator()(int64_t i) const { coordinates[i] = positions[i] / stride % size; }
};

// A mask over r dimensions is r index vectors: the coordinates of its true elements.
inline void ExpandMask(const Queue& queue, const Tensor& mask, const Shape& covered,
                       std::vector<IndexList>* lists) {
  CheckShape(mask, covered, "mask index");
  const int64_t n = mask.numel();
  uint8_t* const flags = queue.Buffer<uint8_t>(n);
  int64_t* const positions = queue.Buffer<int64_t>(n);
  ForEach(queue, n, FlagElements{In<int64_t>(mask), flags});
  const int64_t count = n > 0 ? Select(queue, flags, n, positions) : 0;
  const Shape strides = DenseStrides(covered);
  for (size_t d = 0; d < covered.size(); ++d) {
    int64_t* const coordinates = queue.Buffer<int64_t>(count);
    ForEach(queue, count, Coordinate{positions, coordinates, strides[d], covered[d]});
    lists->push_back({true, coordinates, diopi_dtype_int64, {count}, {1}});
  }
}

inline std::vector<IndexList> ReadIndices(const Queue& queue, const Shape& input,
                                          diopiConstTensorHandle_t* handles, int64_t count) {
  std::vector<IndexList> lists;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor index(handles[i]);
    if (!index) {
      lists.emplace_back();
    } else if (IsMask(index)) {
      Check(lists.size() + index.shape().size() <= input.size(), "too many indices");
      const auto first = input.begin() + static_cast<int64_t>(lists.size());
      ExpandMask(queue, index, Shape(first, first + index.rank()), &lists);
    } else {
      lists.push_back({true, index.data(), index.dtype(), index.shape(), index.strides()});
    }
  }
  Check(lists.size() <= input.size(), "too many indices (", lists.size(), ") for an input of ", input.size(),
        " dimensions");
  lists.resize(input.size());
  return lists;
}

// The shape of what the list picks: the kept dimensions of the input in order, and from `start` on the
// indices' common shape.
struct Region {
  Shape shape;
  size_t start = 0;
  Shape block;
  Shape kept_strides;  // of the dense input, 0 in the block

  Region(const Shape& input, const std::vector<IndexList>& lists) {
    std::vector<bool> given;
    for (const IndexList& list : lists) {
      given.push_back(list.given);
      if (list.given) block = BroadcastShapes(block, list.shape);
    }
    start = BlockStart(given);
    const Shape strides = DenseStrides(input);
    for (size_t d = 0; d < input.size(); ++d) {
      if (given[d]) continue;
      shape.push_back(input[d]);
      kept_strides.push_back(strides[d]);
    }
    const auto at = static_cast<int64_t>(start);
    shape.insert(shape.begin() + at, block.begin(), block.end());
    kept_strides.insert(kept_strides.begin() + at, block.size(), 0);
  }

  // The list's index of every element of the region.
  In<int64_t> IndexOfElements(const IndexList& list) const {
    Shape strides(shape.size(), 0);
    const size_t first = start + block.size() - list.shape.size();
    for (size_t d = 0; d < list.shape.size(); ++d) {
      if (list.shape[d] != 1) strides[first + d] = list.strides[d];
    }
    return In<int64_t>(list.data, list.dtype, shape, strides);
  }
};

// positions[i] in the dense input, -1 out of bounds: first from the kept dimensions, then one list after the
// other.
struct KeptPositions {
  Layout kept;
  int64_t* positions;
  DIOPI_HD void operator()(int64_t i) const { positions[i] = kept.Offset(i); }
};
struct AddIndex {
  In<int64_t> index;
  int64_t size, stride;
  int64_t* positions;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t place = Wrapped(index[i], size);
    if (positions[i] >= 0) positions[i] = place < 0 ? -1 : positions[i] + place * stride;
  }
};
struct PositionAt {
  const int64_t* positions;
  DIOPI_HD int64_t operator()(int64_t i) const { return positions[i]; }
};

// The shape of what the list picks, and for each of its elements the position in the input, -1 out of bounds.
struct Picked {
  Shape shape;
  int64_t n = 0;
  int64_t* positions = nullptr;
};

inline Picked ResolveIndices(const Queue& queue, const Shape& input, diopiConstTensorHandle_t* handles,
                             int64_t count) {
  const std::vector<IndexList> lists = ReadIndices(queue, input, handles, count);
  const Region region(input, lists);
  const int64_t n = Numel(region.shape);
  int64_t* const positions = queue.Buffer<int64_t>(n);
  ForEach(queue, n, KeptPositions{MakeLayout(region.shape, region.kept_strides), positions});
  const Shape strides = DenseStrides(input);
  for (size_t d = 0; d < lists.size(); ++d) {
    if (!lists[d].given) continue;
    ForEach(queue, n, AddIndex{region.IndexOfElements(lists[d]), input[d], strides[d], positions});
  }
  return {region.shape, n, positions};
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_INDEX_INDEX_LIST_CUDA_H_
