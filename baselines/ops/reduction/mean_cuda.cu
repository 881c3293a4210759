// mean over dimensions (none given: all): the sum divided by the count; NaN over no elements.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct MeanRows {
  using State = C;
  In<C> x;
  Out<C> out;
  int64_t length;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return x[row * length + j]; }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { out.Set(row, sum / Exact<C>(length)); }
};

void Mean(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Shape& dims) {
  const RowView rows = RowsOf(x, dims);
  CheckReduced(out, rows);
  DispatchFloating(FloatResultType(out, {x}), [&]<typename C>() {
    const MeanRows<C> mean{In<C>(x, rows), Out<C>(out), rows.length};
    ReduceRows(Queue(ctx), rows.count, rows.length, mean);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

diopiError_t diopiMean(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       diopiSize_t dim) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { cuda::Mean(ctx, out, input, Sizes(dim)); });
}
