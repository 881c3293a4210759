// The product along one dimension, or of everything when dim is null, in the output's type, into which the
// factors are converted first: integers modulo 2^64, bool whether all are not zero.
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct ProductRows {
  using State = C;
  In<C> x;
  Out<C> out;
  bool truth;  // only whether a factor is zero counts
  DIOPI_HD State Empty() const { return C(1); }
  DIOPI_HD State Of(int64_t, int64_t, C factor) const { return truth ? C(factor != C(0) ? 1 : 0) : factor; }
  DIOPI_HD State Combine(State a, State b) const { return WrapMul(a, b); }
  DIOPI_HD void Finish(int64_t row, State product) const { out.Set(row, product); }
};

void Product(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const int64_t* dim) {
  const RowView rows = RowsOf(x, dim == nullptr ? Shape{} : Shape{*dim});
  CheckReduced(out, rows);
  const bool truth = IsBool(out.dtype());
  DispatchAny(truth ? x.dtype() : out.dtype(), [&]<typename C>() {
    const ProductRows<C> op{In<C>(x, rows), Out<C>(out), truth};
    ReduceRows(Queue(ctx), rows.count, rows.length, op, OrderOf(rows));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiProd, a) {
  using namespace diopi::ops;
  cuda::Product(a.ctx, a.out, a.input, a.dim);
}
