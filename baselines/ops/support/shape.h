// Shapes without elements: broadcasting, dimensions, rows of a reduction.
#ifndef BASELINES_OPS_SUPPORT_SHAPE_H_
#define BASELINES_OPS_SUPPORT_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/ops/support/abi.h"

namespace diopi::ops {

using Shape = std::vector<int64_t>;

// "(2, 3)", "(4,)", "()".
std::string ShapeText(const Shape& shape);

// Product of the sizes; 1 for a 0-d shape.
int64_t Numel(const Shape& shape);

// Row-major strides.
Shape DenseStrides(const Shape& shape);

// The numpy broadcast of both, or Fail: "size of tensor a (3) must match b (2) at dimension 1".
Shape BroadcastShapes(const Shape& a, const Shape& b);

// `dim` counted from the end when negative, or Fail: "dimension 3 is out of range [-2, 1]". A 0-d tensor has
// one dimension, as in PyTorch.
int64_t WrapDim(int64_t dim, int64_t rank);

// The size of that dimension. Fail for a shape without dimensions: "expected a tensor with dimensions, ...".
int64_t SizeAlong(const Shape& shape, int64_t dim);

// The dims of a reduction, wrapped; empty means all. Fail when one comes twice.
Shape WrapDims(const Shape& dims, int64_t rank);

// A host size array as a vector.
Shape Sizes(const diopiSize_t& sizes);

// The shape split along one dimension: index = (o * size + i) * inner + k.
struct Axis {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};
Axis SplitAxis(const Shape& shape, int64_t dim);

// A reduction over `dims` as rows: element j of row i lies at `base[i] + offset[j]` of the dense input. Rows
// are in the order of the output, elements in the order of the input.
struct Rows {
  std::vector<int64_t> base;
  std::vector<int64_t> offset;
  Shape kept;     // shape of the result without keepdim
  Shape keepdim;  // and with it
  int64_t count() const { return static_cast<int64_t>(base.size()); }
  int64_t length() const { return static_cast<int64_t>(offset.size()); }
};
Rows RowsOver(const Shape& shape, const Shape& dims);

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_SHAPE_H_
