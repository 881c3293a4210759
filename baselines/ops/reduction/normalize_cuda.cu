// Lines along one dimension divided by their p-norm, or by eps where the norm is smaller.
#include "baselines/ops/reduction/extreme.h"
#include "baselines/ops/reduction/norm_formula.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/quotients.h"
#include "baselines/ops/support/cuda/row_order.h"
#include "baselines/ops/support/cuda/row_sums.h"

namespace diopi::ops::cuda {
namespace {

// The norms of the lines on the device: a sum of powers, or the greatest magnitude.
template <typename C>
struct NormOfLines {
  using State = C;
  In<C> x;
  C* norms;
  double p;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Of(int64_t, int64_t, C element) const {
    return InfinitePower(p) ? Magnitude(element) : NormTerm(element, p);
  }
  DIOPI_HD State Combine(State a, State b) const {
    if (!InfinitePower(p)) return a + b;
    return MoreExtreme(b, a, true) ? b : a;
  }
  DIOPI_HD void Finish(int64_t line, State s) const { norms[line] = InfinitePower(p) ? s : NormOfSum(s, p); }
};

template <typename C>
struct Lines {
  const C* norms;
  Quotients by_length;
  double p;
  C eps;
  DIOPI_HD C Divisor(int64_t line) const { return norms[line] < eps ? eps : norms[line]; }
  DIOPI_HD bool Constant(int64_t line) const { return norms[line] < eps || FlatNorm(norms[line], p); }
};

template <typename C>
struct DivideLines {
  Lines<C> of;
  DIOPI_HD C operator()(int64_t i, C x) const { return x / of.Divisor(of.by_length.Of(i)); }
};

// y is the gradient.
template <typename C>
struct DivisorTerms {
  In<C> x, y;
  Lines<C> of;
  DIOPI_HD C Of(int64_t line, int64_t, C x_j, C grad) const {
    const C divisor = of.Divisor(line);
    return x_j * (C(-1) / divisor / divisor) * grad;
  }
};

template <typename C>
struct LineGradient {
  Lines<C> of;
  const C* sums;
  DIOPI_HD C operator()(int64_t i, C x, C grad) const {
    const int64_t line = of.by_length.Of(i);
    const C norm = of.norms[line];
    const C gradient = C(1) / of.Divisor(line) * grad;
    if (of.Constant(line)) return gradient;
    return gradient + OwnFactor(x, norm, of.p) * SharedFactor(norm, sums[line], of.p, 1);
  }
};

template <typename C>
const C* NormsOf(const Queue& queue, const In<C>& x, const RowView& rows, double p) {
  C* norms = queue.Buffer<C>(rows.count);
  ReduceRows(queue, rows.count, rows.length, NormOfLines<C>{x, norms, p}, OrderOf(rows));
  return norms;
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNormalize, a) {
  using namespace diopi::ops;
  using namespace diopi::ops::cuda;
  const Tensor out(a.output), x(a.input);
  CheckShape(out, x.shape(), "output");
  const Shape dims = {WrapDim(a.axis, x.rank())};
  const RowView rows = RowsOf(x, dims);
  const auto p = static_cast<double>(a.p);
  cuda::DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> in(x, rows);
    const Lines<C> lines{NormsOf(queue, in, rows, p), Quotients(rows.length), p, Rounded<C>(a.eps)};
    Map(queue, x.numel(), Out<C>(out, RowsOf(out, dims)), AtIndex{DivideLines<C>{lines}}, in);
  });
}

// The quotient's derivative: grad / d, plus through d, where that is the norm, -sum(grad * x) / d^2 times the
// norm's own.
DIOPI_KERNEL(diopiNormalizeBackward, a) {
  using namespace diopi::ops;
  using namespace diopi::ops::cuda;
  const Tensor dx(a.grad_input), grad(a.grad_output), x(a.input);
  CheckShape(grad, x.shape(), "grad_output");
  CheckShape(dx, x.shape(), "grad_input");
  const Shape dims = {WrapDim(a.axis, x.rank())};
  const RowView rows = RowsOf(x, dims);
  const auto p = static_cast<double>(a.p);
  cuda::DispatchFloating(ResultType(dx, {grad, x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> in(x, rows), g(grad, RowsOf(grad, dims));
    const Lines<C> lines{NormsOf(queue, in, rows, p), Quotients(rows.length), p, Rounded<C>(a.eps)};
    const C* sums = RowSums(queue, rows.count, rows.length, DivisorTerms<C>{in, g, lines}, OrderOf(rows));
    Map(queue, x.numel(), Out<C>(dx, RowsOf(dx, dims)), AtIndex{LineGradient<C>{lines, sums}}, in, g);
  });
}
