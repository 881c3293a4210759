// How a kernel computes where the elements of a strided tensor lie: the host merges dimensions that can be
// traversed as one, so that most tensors need no division.
#ifndef BASELINES_OPS_SUPPORT_CUDA_LAYOUT_H_
#define BASELINES_OPS_SUPPORT_CUDA_LAYOUT_H_

#include <cstdint>

#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/shape.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops::cuda {

// The most dimensions that may remain after merging. More is an error of the call: PyTorch's own limit on a
// GPU is 25, and no operator of the ABI has that many that cannot be merged.
inline constexpr int kMaxDims = 8;

// A value without pointers: kernels take it as an argument.
struct Layout {
  int rank = 0;
  bool narrow = true;  // every index fits 32 bits
  int64_t inner = 0;   // the last dimension's stride; 0 for one element
  int64_t sizes[kMaxDims] = {};
  int64_t strides[kMaxDims] = {};  // in elements

  // Whether four elements from a multiple of 4 on lie in the last dimension, and every such group a multiple
  // of 4 from the first element. Of one dimension the last group may be incomplete.
  bool Fours() const;

  // The offset from the first element of the one at this place in row-major order.
  DIOPI_HD int64_t Offset(int64_t index) const {
    if (rank == 0) return 0;
    if (rank == 1) return index * strides[0];
    return narrow ? Walk(static_cast<uint32_t>(index)) : Walk(static_cast<uint64_t>(index));
  }

 private:
  // Division in 32 bits is several times faster on a GPU.
  template <typename Index>
  DIOPI_HD int64_t Walk(Index index) const {
    int64_t offset = 0;
    for (int d = rank - 1; d > 0; --d) {
      const Index size = static_cast<Index>(sizes[d]);
      const Index rest = index / size;
      offset += static_cast<int64_t>(index - rest * size) * strides[d];
      index = rest;
    }
    return offset + static_cast<int64_t>(index) * strides[0];
  }
};

// Fail when more than kMaxDims dimensions are left.
Layout MakeLayout(const Shape& shape, const Shape& strides);

// The tensor's strides for a broadcast shape, 0 where a dimension is stretched or added. Fail when the tensor
// cannot be broadcast to it.
Shape StridesAt(const Tensor& tensor, const Shape& shape);

// A reduction as rows: the tensor's dimensions in another order, the reduced ones last, so that element j of
// row i is element i * length + j of a tensor of this shape and these strides. Rows are in the order of the
// output, elements in the order of the input.
struct RowView {
  int64_t count = 0;
  int64_t length = 0;
  Shape shape;
  Shape strides;
  Shape kept;     // shape of the result without keepdim
  Shape keepdim;  // and with it
};
// Over `dims` (none: all; negative ones count from the end; Fail when one comes twice).
RowView RowsOf(const Tensor& tensor, const Shape& dims);

// Fail unless `out` has the reduced shape, with or without the reduced dimensions.
void CheckReduced(const Tensor& out, const RowView& rows);

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_LAYOUT_H_
