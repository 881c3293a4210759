// any and all along one dimension, or over everything when dim is null. Nonzero elements, NaN too, are true.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct TruthRows {
  using State = int;
  In<C> x;
  Out<int64_t> out;
  bool any;
  DIOPI_HD State Empty() const { return any ? 0 : 1; }
  DIOPI_HD State Of(int64_t, int64_t, C x_j) const { return x_j != C(0) ? 1 : 0; }
  DIOPI_HD State Combine(State a, State b) const { return any ? a | b : a & b; }
  DIOPI_HD void Finish(int64_t row, State truth) const { out.Set(row, truth); }
};

void ReduceTruth(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const int64_t* dim, bool any) {
  const RowView rows = RowsOf(x, dim == nullptr ? Shape{} : Shape{*dim});
  CheckReduced(out, rows);
  DispatchAny(x.dtype(), [&]<typename C>() {
    const TruthRows<C> op{In<C>(x, rows), Out<int64_t>(out), any};
    ReduceRows(Queue(ctx), rows.count, rows.length, op, OrderOf(rows));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiAny, a) {
  using namespace diopi::ops;
  cuda::ReduceTruth(a.ctx, a.out, a.input, a.dim, true);
}

DIOPI_KERNEL(diopiAll, a) {
  using namespace diopi::ops;
  cuda::ReduceTruth(a.ctx, a.out, a.input, a.dim, false);
}
