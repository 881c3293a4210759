// out = input @ weight^T + bias, over the last dimension of input.
#include "baselines/ops/linear/linear_common.h"
#include "baselines/ops/linear/products_cuda.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct SumColumns {
  using State = C;
  In<C> x;
  Out<C> out;
  int64_t columns;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t column, int64_t j) const { return x[j * columns + column]; }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t column, State sum) const { out.Set(column, sum); }
};

void Linear(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const Tensor& w, const Tensor& b) {
  const Sizes3 s = CheckLinear(out, x, w, "out");
  CheckBias(b, s.out);
  const std::vector<int64_t> one = {0};
  Products(Queue(ctx), ResultType(out, {x, w}), s.rows, s.out, s.in, {x, Trans::kNo, one},
           {w, Trans::kYes, one}, out, one, b);
}

void LinearBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& dw, const Tensor& db,
                    const Tensor& grad, const Tensor& x, const Tensor& w) {
  const Sizes3 s = CheckLinear(grad, x, w, "grad_output");
  if (dx) CheckShape(dx, x.shape(), "grad_input");
  if (dw) CheckShape(dw, w.shape(), "grad_weight");
  if (db) CheckShape(db, {s.out}, "grad_bias");
  const diopiDtype_t dtype = ResultType(grad, {grad, x, w});
  const std::vector<int64_t> one = {0};
  const Queue queue(ctx);
  if (dx) Products(queue, dtype, s.rows, s.in, s.out, {grad, Trans::kNo, one}, {w, Trans::kNo, one}, dx, one);
  if (dw)
    Products(queue, dtype, s.out, s.in, s.rows, {grad, Trans::kYes, one}, {x, Trans::kNo, one}, dw, one);
  if (!db) return;
  DispatchFloating(dtype, [&]<typename C>() {
    ReduceRows(queue, s.out, s.rows, SumColumns<C>{In<C>(grad), Out<C>(db), s.out}, ReadOrder::kAcrossRows);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;

DIOPI_KERNEL(diopiLinear, a) {
  cuda::Linear(a.ctx, a.out, a.input, a.weight, a.bias);
}
DIOPI_KERNEL(diopiLinearBackward, a) {
  cuda::LinearBackward(a.ctx, a.grad_input, a.grad_weight, a.grad_bias, a.grad_output, a.input, a.weight);
}
