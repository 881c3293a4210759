// sum over dimensions (none given: all). Integers and bool add up modulo 2^64 into an integer output.
#include "baselines/ops/reduction/sum_cuda.h"

namespace diopi::ops::cuda {
namespace {

void Sum(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Shape& dims) {
  const RowView rows = RowsOf(x, dims);
  CheckReduced(out, rows);
  DispatchAny(IsFloating(x.dtype()) ? x.dtype() : out.dtype(), [&]<typename C>() {
    const SumRows<C> sum{In<C>(x, rows), Out<C>(out)};
    ReduceRows(Queue(ctx), rows.count, rows.length, sum, OrderOf(rows));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiSum, a) {
  using namespace diopi::ops;
  cuda::Sum(a.ctx, a.out, a.input, Sizes(a.dim));
}
