// select and slice: one element, or every step-th one of a range, along a dimension; their gradients; and
// select_scatter and slice_scatter, which put such a part into a copy of the input.
#include <algorithm>

#include "baselines/ops/tensor/moving.h"

namespace diopi::ops::both {
namespace {

// The part of a tensor of `shape`: `count` slices along `dim`.
struct Part {
  size_t dim = 0;
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 1;
};

Part Selected(const Shape& shape, int64_t dim, int64_t index) {
  Check(!shape.empty(), "a 0-d tensor has nothing to select");
  const auto d = static_cast<size_t>(WrapDim(dim, static_cast<int64_t>(shape.size())));
  Check(index >= -shape[d] && index < shape[d], "index ", index, " is out of range of a size of ", shape[d]);
  return {d, index < 0 ? index + shape[d] : index};
}

// A bound of a slice counts from the end when negative, and ends at the tensor's.
int64_t Bound(int64_t bound, int64_t size) {
  return std::clamp<int64_t>(bound < 0 ? bound + size : bound, 0, size);
}

template <typename Args>
Part PartOf(const Shape& shape, const Args& a) {
  Check(!shape.empty(), "a 0-d tensor cannot be sliced");
  Check(a.step > 0, "the step must be positive, got ", a.step);
  const auto d = static_cast<size_t>(WrapDim(a.dim, static_cast<int64_t>(shape.size())));
  const int64_t start = Bound(a.start, shape[d]), end = std::max(start, Bound(a.end, shape[d]));
  return {d, start, a.step, (end - start) / a.step + ((end - start) % a.step != 0 ? 1 : 0)};
}

// The part's shape; a selected dimension is gone.
Shape ShapeOfPart(Shape shape, const Part& part, bool selected) {
  shape[part.dim] = part.count;
  if (selected) shape.erase(shape.begin() + static_cast<int64_t>(part.dim));
  return shape;
}

void Take(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Part& part, bool selected) {
  CheckShape(out, ShapeOfPart(x.shape(), part, selected), "out");
  Lines lines = LinesOf(x.shape());
  Line& line = lines[part.dim];
  line.count = part.count;
  line.start = part.start;
  line.step = part.step;
  Move(ctx, out, x, Places(lines));
}

// out = x, or src where an element belongs to the part.
template <typename C>
struct Placed {
  Out<C> out;
  In<C> x;
  In<C> src;
  Axis axis;
  Part part;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t past = i / axis.inner % axis.size - part.start, at = past / part.step;
    if (past < 0 || past % part.step != 0 || at >= part.count) {
      out.Set(i, x[i]);
    } else {
      out.Set(i, src[(i / axis.inner / axis.size * part.count + at) * axis.inner + i % axis.inner]);
    }
  }
};

// Without x: zeros.
void Put(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Tensor& src, const Part& part,
         bool selected) {
  CheckShape(src, ShapeOfPart(out.shape(), part, selected), x ? "src" : "grad_output");
  const Axis axis = SplitAxis(out.shape(), static_cast<int64_t>(part.dim));
  DispatchAny(src.dtype(), [&]<typename C>() {
    const In<C> whole = x ? In<C>(x) : In<C>::Constant(C(0));
    ForEach(Queue(ctx), out.numel(), Placed<C>{Out<C>(out), whole, In<C>(src), axis, part});
  });
}

}  // namespace

DIOPI_KERNEL(diopiSelect, a) {
  const Tensor x(a.input);
  Take(a.ctx, a.out, x, Selected(x.shape(), a.dim, a.index), true);
}
DIOPI_KERNEL(diopiSelectBackward, a) {
  const Tensor out(a.grad_input);
  CheckShape(out, Sizes(a.input_sizes), "grad_input");
  Put(a.ctx, out, Tensor(), a.grad_output, Selected(out.shape(), a.dim, a.index), true);
}
DIOPI_KERNEL(diopiSelectScatter, a) {
  const Tensor out(a.out), x(a.input);
  CheckShape(out, x.shape(), "out");
  Put(a.ctx, out, x, a.src, Selected(x.shape(), a.dim, a.index), true);
}

DIOPI_KERNEL(diopiSlice, a) {
  const Tensor x(a.input);
  Take(a.ctx, a.null_out, x, PartOf(x.shape(), a), false);
}
DIOPI_KERNEL(diopiSliceBackward, a) {
  const Tensor out(a.grad_input);
  CheckShape(out, Sizes(a.input_sizes), "grad_input");
  Put(a.ctx, out, Tensor(), a.grad_output, PartOf(out.shape(), a), false);
}
DIOPI_KERNEL(diopiSliceScatter, a) {
  const Tensor out(a.out), x(a.input);
  CheckShape(out, x.shape(), "out");
  Put(a.ctx, out, x, a.src, PartOf(x.shape(), a), false);
}

}  // namespace diopi::ops::both
