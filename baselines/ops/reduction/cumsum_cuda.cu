// cumsum along one dimension, and its backward, the same sum from the other end.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/scan.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct SumUp {
  using State = C;
  In<C> x;
  Out<C> out;
  int64_t length;
  bool from_end;
  DIOPI_HD int64_t At(int64_t row, int64_t j) const { return row * length + (from_end ? length - 1 - j : j); }
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return x[At(row, j)]; }
  DIOPI_HD State Combine(State a, State b) const { return WrapAdd(a, b); }
  DIOPI_HD void Store(int64_t row, int64_t j, State sum) const { out.Set(At(row, j), sum); }
};

void Accumulate(diopiContextHandle_t ctx, const Tensor& out, const Tensor& input, int64_t dim,
                bool from_end) {
  CheckShape(out, input.shape(), "out");
  const RowView rows = RowsOf(input, Shape{dim});
  DispatchAny(IsFloating(input.dtype()) ? input.dtype() : out.dtype(), [&]<typename C>() {
    const SumUp<C> sum{In<C>(input, rows), Out<C>(out, RowsOf(out, Shape{dim})), rows.length, from_end};
    ScanRows(Queue(ctx), rows.count, rows.length, sum);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiCumsum, a) {
  using namespace diopi::ops;
  cuda::Accumulate(a.ctx, a.out, a.input, a.dim, false);
}

DIOPI_KERNEL(diopiCumsumBackward, a) {
  using namespace diopi::ops;
  cuda::Accumulate(a.ctx, a.grad_input, a.grad_output, a.dim, true);
}
