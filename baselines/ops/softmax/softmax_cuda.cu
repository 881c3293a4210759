// softmax and log_softmax, one kernel for both: rows are the lines along one dimension.
#include <cmath>

#include "baselines/ops/softmax/softmax_dnn.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/reduce.h"
#include "baselines/ops/support/cuda/row_order.h"
#include "baselines/ops/support/cuda/row_sums.h"

namespace diopi::ops::cuda {
namespace {

// The greatest element of a row; NaN when there is one.
template <typename C>
struct GreatestOfRows {
  using State = C;
  In<C> x;
  C* greatest;
  int64_t length;
  DIOPI_HD State Empty() const { return static_cast<C>(-HUGE_VAL); }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return x[row * length + j]; }
  DIOPI_HD State Combine(State a, State b) const { return b > a || b != b ? b : a; }
  DIOPI_HD void Finish(int64_t row, State g) const { greatest[row] = g; }
};

// exp(x - max)
template <typename C>
struct ShiftedExp {
  In<C> x;
  const C* greatest;
  int64_t length;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    using std::exp;
    return exp(x[row * length + j] - greatest[row]);
  }
};

// exp(x - max) / sum, or with `log` x - max - log(sum).
template <typename C>
struct SoftmaxOfRows {
  Out<C> out;
  In<C> x;
  const C* greatest;
  const C* sums;
  int64_t length;
  bool log;
  DIOPI_HD void operator()(int64_t i) const {
    using std::exp;
    const int64_t row = i / length;
    const C shifted = x[i] - greatest[row];
    out.Set(i, log ? shifted - LogOf(sums[row]) : exp(shifted) / sums[row]);
  }

 private:
  DIOPI_HD static C LogOf(C sum) {
    using std::log;
    return log(sum);
  }
};

// The terms of a gradient's sum: g * y, or with `log` g.
template <typename C>
struct GradientTerm {
  In<C> grad, y;
  int64_t length;
  bool log;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const int64_t i = row * length + j;
    return log ? grad[i] : grad[i] * y[i];
  }
};

// y * (g - sum), or with `log` g - exp(y) * sum.
template <typename C>
struct SoftmaxGradient {
  Out<C> out;
  In<C> grad, y;
  const C* sums;
  int64_t length;
  bool log;
  DIOPI_HD void operator()(int64_t i) const {
    using std::exp;
    const C sum = sums[i / length];
    out.Set(i, log ? grad[i] - exp(y[i]) * sum : y[i] * (grad[i] - sum));
  }
};

// A whole forward function.
void Softmax(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, int64_t dim, bool log) {
  CheckShape(out, x.shape(), "out");
  const RowView rows = RowsOf(x, {dim}), results = RowsOf(out, {dim});
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    if (x.numel() == 0 || TrySoftmax(queue, out, x, dim, log)) return;
    const In<C> in(x, rows);
    C* greatest = queue.Buffer<C>(rows.count);
    ReduceRows(queue, rows.count, rows.length, GreatestOfRows<C>{in, greatest, rows.length}, OrderOf(rows));
    const C* sums =
        RowSums(queue, rows.count, rows.length, ShiftedExp<C>{in, greatest, rows.length}, OrderOf(rows));
    ForEach(queue, x.numel(), SoftmaxOfRows<C>{Out<C>(out, results), in, greatest, sums, rows.length, log});
  });
}

// A whole backward function; y is the forward's output.
void SoftmaxBackward(diopiContextHandle_t ctx, const Tensor& grad_input, const Tensor& grad, const Tensor& y,
                     int64_t dim, bool log) {
  CheckShape(grad_input, y.shape(), "grad_input");
  CheckShape(grad, y.shape(), "grad_output");
  const RowView rows = RowsOf(y, {dim}), results = RowsOf(grad_input, {dim});
  DispatchFloating(ResultType(grad_input, {grad, y}), [&]<typename C>() {
    const Queue queue(ctx);
    if (y.numel() == 0 || TrySoftmaxBackward(queue, grad_input, grad, y, dim, log)) return;
    const In<C> g(grad, RowsOf(grad, {dim})), in(y, rows);
    const C* sums =
        RowSums(queue, rows.count, rows.length, GradientTerm<C>{g, in, rows.length, log}, OrderOf(rows));
    ForEach(queue, y.numel(), SoftmaxGradient<C>{Out<C>(grad_input, results), g, in, sums, rows.length, log});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiSoftmax, a) {
  using namespace diopi::ops;
  cuda::Softmax(a.ctx, a.out, a.input, a.dim, false);
}
DIOPI_KERNEL(diopiSoftmaxBackward, a) {
  using namespace diopi::ops;
  cuda::SoftmaxBackward(a.ctx, a.grad_input, a.grad_output, a.output, a.dim, false);
}
DIOPI_KERNEL(diopiLogSoftmax, a) {
  using namespace diopi::ops;
  cuda::Softmax(a.ctx, a.out, a.input, a.dim, true);
}
DIOPI_KERNEL(diopiLogSoftmaxBackward, a) {
  using namespace diopi::ops;
  cuda::SoftmaxBackward(a.ctx, a.grad_input, a.grad_output, a.output, a.dim, true);
}
