// softmax and log_softmax, one kernel for both: rows are the lines along one dimension. cuDNN's is not used:
// of 16-bit numbers its results are those of arithmetic in 16 bits (9.19, H100), and its gradient of
// log_softmax takes hundreds of times as long as this.
#include <cmath>

#include "baselines/ops/softmax/shifted_sums_cuda.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/quotients.h"
#include "baselines/ops/support/cuda/row_order.h"
#include "baselines/ops/support/cuda/row_sums.h"

namespace diopi::ops::cuda {
namespace {

// exp(x - max) / sum, or with `log` x - max - log(sum).
template <typename C>
struct SoftmaxOfRows {
  ShiftedSums<C> rows;
  Quotients by_length;
  bool log;
  DIOPI_HD C operator()(int64_t i, C x) const {
    using std::exp;
    const int64_t row = by_length.Of(i);
    const C shifted = x - rows.greatest[row];
    return log ? shifted - rows.sums[row] : exp(shifted) / rows.sums[row];
  }
};

// The terms of a gradient's sum: g * y, or of log_softmax g; x is g.
template <typename C>
struct SoftmaxTerm {
  In<C> x, y;
  DIOPI_HD C Of(int64_t, int64_t, C g, C y_j) const { return g * y_j; }
};
template <typename C>
struct LogSoftmaxTerm {
  In<C> x;
  DIOPI_HD C Of(int64_t, int64_t, C g) const { return g; }
};

// y * (g - sum), or with `log` g - exp(y) * sum.
template <typename C>
struct SoftmaxGradient {
  const C* sums;
  Quotients by_length;
  bool log;
  DIOPI_HD C operator()(int64_t i, C g, C y) const {
    using std::exp;
    const C sum = sums[by_length.Of(i)];
    return log ? g - exp(y) * sum : y * (g - sum);
  }
};

// A whole forward function.
void Softmax(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, int64_t dim, bool log) {
  CheckShape(out, x.shape(), "out");
  const RowView rows = RowsOf(x, {dim}), results = RowsOf(out, {dim});
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    if (x.numel() == 0) return;
    const In<C> in(x, rows);
    const ShiftedSums<C> sums = SumShifted(queue, rows.count, rows.length, in, log, OrderOf(rows));
    Map(queue, x.numel(), Out<C>(out, results), AtIndex{SoftmaxOfRows<C>{sums, Quotients(rows.length), log}},
        in);
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
    if (y.numel() == 0) return;
    const In<C> g(grad, RowsOf(grad, {dim})), in(y, rows);
    const ReadOrder order = OrderOf(rows);
    const C* sums = log ? RowSums(queue, rows.count, rows.length, LogSoftmaxTerm<C>{g}, order)
                        : RowSums(queue, rows.count, rows.length, SoftmaxTerm<C>{g, in}, order);
    Map(queue, y.numel(), Out<C>(grad_input, results),
        AtIndex{SoftmaxGradient<C>{sums, Quotients(rows.length), log}}, g, in);
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
