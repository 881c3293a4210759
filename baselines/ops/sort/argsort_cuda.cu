// argsort along one dimension, by default the last one; always stable, even if not requested.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {
namespace {

struct TakeOrder {
  const int64_t* order;
  Out<int64_t> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, order[i]); }
};

void Argsort(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, int64_t dim, bool descending) {
  CheckShape(out, x.shape(), "out");
  const Shape axis{WrapDim(dim, x.rank())};
  const RowView rows = RowsOf(x, axis);
  const Queue queue(ctx);
  int64_t* const order = queue.Buffer<int64_t>(x.numel());
  DispatchAny(x.dtype(), [&]<typename C>() {
    SortRows<C>(queue, In<C>(x, rows), rows.count, rows.length, descending, order);
  });
  ForEach(queue, x.numel(), TakeOrder{order, Out<int64_t>(out, RowsOf(out, axis))});
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiArgsort, a) {
  using namespace diopi::ops;
  cuda::Argsort(a.ctx, a.out, a.input, a.dim == nullptr ? -1 : *a.dim, a.descending);
}
