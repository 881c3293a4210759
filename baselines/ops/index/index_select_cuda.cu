// index_select: the slices of the input along dim that a 1-d index names, in its order.
#include "baselines/ops/index/index_cuda.h"

namespace diopi::ops::cuda {
namespace {

// The index of every element of the selected tensor: the vector, repeated over the other dimensions.
In<int64_t> IndexOfElements(const Tensor& index, const Shape& selected, size_t axis) {
  Shape strides(selected.size(), 0);
  if (!selected.empty() && index.rank() == 1) strides[axis] = index.strides()[0];
  return In<int64_t>(index.data(), index.dtype(), selected, strides);
}

void IndexSelect(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, int64_t dim,
                 const Tensor& index) {
  const Shape selected = SelectedShape(x.shape(), dim, index);
  CheckShape(out, selected, "out");
  const IndexedShapes shapes(x.shape(), selected, WrapDim(dim, x.rank()));
  const Target target(IndexOfElements(index, selected, shapes.axis), shapes, x.strides());
  DispatchAny(x.dtype(), [&]<typename C>() {
    MapElements(Queue(ctx), out.numel(), PickElements<C>{target, x.data(), x.dtype(), Out<C>(out)});
  });
}

struct SlicePlace {
  In<int64_t> index;
  int64_t size;
  DIOPI_HD int64_t operator()(int64_t i) const { return Wrapped(index[i], size); }
};

void IndexSelectBackward(diopiContextHandle_t ctx, const Tensor& grad_input, const Tensor& grad,
                         const Shape& shape, int64_t dim, const Tensor& index) {
  CheckShape(grad_input, shape, "grad_input");
  CheckShape(grad, SelectedShape(shape, dim, index), "grad");
  const Axis axis = SplitAxis(shape, WrapDim(dim, static_cast<int64_t>(shape.size())));
  const Queue queue(ctx);
  DispatchFloating(ResultType(grad_input, {grad}), [&]<typename C>() {
    const Out<C> sums(grad_input);
    Copy(queue, grad_input.numel(), sums, In<C>::Constant(C(0)));
    const Groups groups =
        GroupByDestination(queue, index.numel(), axis.size, SlicePlace{In<int64_t>(index), axis.size});
    ForEach(queue, grad.numel(),
            SumSlices<C>{groups, In<C>(grad), sums, axis.outer, axis.inner, axis.size, false});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiIndexSelect, a) {
  using namespace diopi::ops;
  cuda::IndexSelect(a.ctx, a.out, a.input, a.dim, a.index);
}

DIOPI_KERNEL(diopiIndexSelectBackward, a) {
  using namespace diopi::ops;
  cuda::IndexSelectBackward(a.ctx, a.grad_input, a.grad, Sizes(a.input_sizes), a.dim, a.index);
}
