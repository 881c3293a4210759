// mean over dimensions (none given: all): the sum divided by the count; NaN over no elements.
#include "baselines/ops/reduction/sum_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct MeanRows : SumRows<C> {
  int64_t length;
  DIOPI_HD void Finish(int64_t row, C sum) const { this->out.Set(row, sum / Exact<C>(length)); }
};

void Mean(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Shape& dims) {
  const RowView rows = RowsOf(x, dims);
  CheckReduced(out, rows);
  DispatchFloating(FloatResultType(out, {x}), [&]<typename C>() {
    const MeanRows<C> mean{{In<C>(x, rows), Out<C>(out)}, rows.length};
    ReduceRows(Queue(ctx), rows.count, rows.length, mean, OrderOf(rows));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiMean, a) {
  using namespace diopi::ops;
  cuda::Mean(a.ctx, a.out, a.input, Sizes(a.dim));
}
