// sort along one dimension; always stable, even if not requested.
#include "baselines/ops/sort/sort_lines_cuda.h"

namespace diopi::ops::cuda {
namespace {

void Sort(diopiContextHandle_t ctx, const Tensor& values, const Tensor& indices, const Tensor& x, int64_t dim,
          bool descending) {
  SortLines(ctx, values, indices, x, dim, SplitAxis(x.shape(), WrapDim(dim, x.rank())).size, descending);
}

// to[row, indices[row, j]] = grad[row, j]. Elements with an index out of bounds are dropped, because
// reporting them would mean waiting for the device.
template <typename C>
struct PutBack {
  Out<C> to;
  In<C> grad;
  In<int64_t> indices;
  int64_t length, to_length;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t at = indices[i];
    if (at >= 0 && at < to_length) to.Set(i / length * to_length + at, grad[i]);
  }
};

template <typename C>
struct SetZero {
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, C(0)); }
};

void SortBackward(diopiContextHandle_t ctx, const Tensor& result, const Tensor& grad, int64_t dim,
                  const Tensor& index, const Shape& shape) {
  CheckShape(result, shape, "grad_input");
  CheckShape(index, grad.shape(), "indices");
  const RowView to = RowsOf(result, Shape{dim}), from = RowsOf(grad, Shape{dim});
  Check(to.kept == from.kept, "grad_output of shape ", ShapeText(grad.shape()), " is no part of sizes ",
        ShapeText(shape));
  DispatchFloating(ResultType(result, {grad}), [&]<typename C>() {
    const Queue queue(ctx);
    const Out<C> out(result, to);
    ForEach(queue, result.numel(), SetZero<C>{out});
    ForEach(queue, grad.numel(),
            PutBack<C>{out, In<C>(grad, from), In<int64_t>(index, RowsOf(index, Shape{dim})), from.length,
                       to.length});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiSort, a) {
  using namespace diopi::ops;
  cuda::Sort(a.ctx, a.values, a.indices, a.input, a.dim, a.descending);
}

// grad_input[indices[i]] = grad_output[i] along dim.
DIOPI_KERNEL(diopiSortBackward, a) {
  using namespace diopi::ops;
  cuda::SortBackward(a.ctx, a.grad_input, a.grad_output, a.dim, a.indices, Sizes(a.sizes));
}
