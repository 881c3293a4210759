#include "baselines/ops/support/shape.h"

#include <algorithm>

#include "baselines/ops/support/op.h"

namespace diopi::ops {

std::string ShapeText(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

int64_t Numel(const Shape& shape) {
  int64_t n = 1;
  for (int64_t size : shape) n *= size;
  return n;
}

Shape DenseStrides(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<int64_t>(shape[i], 1);
  return strides;
}

Shape BroadcastShapes(const Shape& a, const Shape& b) {
  const size_t rank = std::max(a.size(), b.size());
  Shape out(rank);
  for (size_t i = 0; i < rank; ++i) {  // i counts from the last dimension
    const int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    Check(x == y || x == 1 || y == 1, "size of tensor a (", x, ") must match b (", y, ") at dimension ",
          rank - 1 - i);
    out[rank - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

int64_t WrapDim(int64_t dim, int64_t rank) {
  const int64_t n = std::max<int64_t>(rank, 1);
  Check(dim >= -n && dim < n, "dimension ", dim, " is out of range [", -n, ", ", n - 1, "]");
  return dim < 0 ? dim + n : dim;
}

int64_t SizeAlong(const Shape& shape, int64_t dim) {
  Check(!shape.empty(), "expected a tensor with dimensions, got one without");
  return shape[static_cast<size_t>(WrapDim(dim, static_cast<int64_t>(shape.size())))];
}

Shape WrapDims(const Shape& dims, int64_t rank) {
  Shape wrapped;
  for (int64_t dim : dims) wrapped.push_back(WrapDim(dim, rank));
  if (dims.empty()) {
    for (int64_t i = 0; i < rank; ++i) wrapped.push_back(i);
  }
  std::sort(wrapped.begin(), wrapped.end());
  const auto twice = std::adjacent_find(wrapped.begin(), wrapped.end());
  Check(twice == wrapped.end(), "a dimension appears twice in the list of dims");
  return wrapped;
}

Shape Sizes(const diopiSize_t& sizes) {
  if (sizes.len <= 0 || sizes.data == nullptr) return {};
  return Shape(sizes.data, sizes.data + sizes.len);
}

Axis SplitAxis(const Shape& shape, int64_t dim) {
  Axis axis;
  const int64_t d = WrapDim(dim, static_cast<int64_t>(shape.size()));
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i) {
    int64_t& part = i < d ? axis.outer : i == d ? axis.size : axis.inner;
    part *= shape[static_cast<size_t>(i)];
  }
  return axis;
}

namespace {

// Offsets of all index combinations over the chosen dimensions, row-major.
std::vector<int64_t> Offsets(const Shape& shape, const Shape& strides, const std::vector<bool>& chosen) {
  std::vector<int64_t> offsets = {0};
  for (size_t d = 0; d < shape.size(); ++d) {
    if (!chosen[d]) continue;
    std::vector<int64_t> next;
    next.reserve(offsets.size() * static_cast<size_t>(shape[d]));
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < shape[d]; ++i) next.push_back(offset + i * strides[d]);
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace

Rows RowsOver(const Shape& shape, const Shape& dims) {
  std::vector<bool> reduced(shape.size(), false);
  for (int64_t dim : WrapDims(dims, static_cast<int64_t>(shape.size()))) {
    if (!shape.empty()) reduced[static_cast<size_t>(dim)] = true;
  }
  Rows rows;
  const Shape strides = DenseStrides(shape);
  rows.offset = Offsets(shape, strides, reduced);
  for (size_t d = 0; d < shape.size(); ++d) {
    rows.keepdim.push_back(reduced[d] ? 1 : shape[d]);
    if (!reduced[d]) rows.kept.push_back(shape[d]);
  }
  reduced.flip();
  rows.base = Offsets(shape, strides, reduced);
  return rows;
}

}  // namespace diopi::ops
