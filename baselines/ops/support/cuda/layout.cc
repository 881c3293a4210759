#include "baselines/ops/support/cuda/layout.h"

#include <limits>
#include <vector>

namespace diopi::ops::cuda {

bool Layout::Fours() const {
  if (rank <= 1) return true;
  bool fours = sizes[rank - 1] % 4 == 0;
  for (int d = 0; d + 1 < rank; ++d) fours = fours && (inner == 0 || strides[d] % 4 == 0);
  return fours;
}

Layout MakeLayout(const Shape& shape, const Shape& strides) {
  Layout layout;
  layout.narrow = Numel(shape) <= std::numeric_limits<uint32_t>::max();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    const int last = layout.rank - 1;
    if (last >= 0 && layout.strides[last] == strides[d] * shape[d]) {  // walked as one with the one before
      layout.sizes[last] *= shape[d];
      layout.strides[last] = strides[d];
      continue;
    }
    Check(layout.rank < kMaxDims, "a tensor of shape ", ShapeText(shape), " and strides ", ShapeText(strides),
          " has more than ", kMaxDims, " dimensions that cannot be merged");
    layout.sizes[layout.rank] = shape[d];
    layout.strides[layout.rank] = strides[d];
    ++layout.rank;
  }
  layout.inner = layout.rank == 0 ? 0 : layout.strides[layout.rank - 1];
  return layout;
}

Shape StridesAt(const Tensor& tensor, const Shape& shape) {
  Check(static_cast<bool>(tensor), "a required tensor is null");
  Check(BroadcastShapes(tensor.shape(), shape) == shape, "shape ", ShapeText(tensor.shape()),
        " cannot be broadcast to ", ShapeText(shape));
  const size_t added = shape.size() - tensor.shape().size();
  Shape strides(shape.size(), 0);
  for (size_t d = added; d < shape.size(); ++d) {
    if (tensor.shape()[d - added] != 1) strides[d] = tensor.strides()[d - added];
  }
  return strides;
}

RowView RowsOf(const Tensor& tensor, const Shape& dims) {
  Check(static_cast<bool>(tensor), "a required tensor is null");
  const Shape& shape = tensor.shape();
  std::vector<bool> reduced(shape.size(), false);
  for (const int64_t dim : WrapDims(dims, tensor.rank())) {
    if (!shape.empty()) reduced[static_cast<size_t>(dim)] = true;
  }
  RowView rows;
  rows.count = rows.length = 1;
  for (const bool last : {false, true}) {
    for (size_t d = 0; d < shape.size(); ++d) {
      if (reduced[d] != last) continue;
      (last ? rows.length : rows.count) *= shape[d];
      rows.shape.push_back(shape[d]);
      rows.strides.push_back(tensor.strides()[d]);
      if (!last) rows.kept.push_back(shape[d]);
    }
  }
  for (size_t d = 0; d < shape.size(); ++d) rows.keepdim.push_back(reduced[d] ? 1 : shape[d]);
  return rows;
}

void CheckReduced(const Tensor& out, const RowView& rows) {
  if (out.shape() != rows.keepdim) CheckShape(out, rows.kept, "out");
}

}  // namespace diopi::ops::cuda
