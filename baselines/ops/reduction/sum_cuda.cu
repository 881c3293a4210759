// sum over dimensions (none given: all). Integers and bool add up modulo 2^64 into an integer output.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct SumRows {
  using State = C;
  In<C> x;
  Out<C> out;
  int64_t length;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return x[row * length + j]; }
  DIOPI_HD State Combine(State a, State b) const { return WrapAdd(a, b); }
  DIOPI_HD void Finish(int64_t row, State sum) const { out.Set(row, sum); }
};

void Sum(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Shape& dims) {
  const RowView rows = RowsOf(x, dims);
  CheckReduced(out, rows);
  DispatchAny(IsFloating(x.dtype()) ? x.dtype() : out.dtype(), [&]<typename C>() {
    const SumRows<C> sum{In<C>(x, rows), Out<C>(out), rows.length};
    ReduceRows(Queue(ctx), rows.count, rows.length, sum);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

diopiError_t diopiSum(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiSize_t dim) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { cuda::Sum(ctx, out, input, Sizes(dim)); });
}
