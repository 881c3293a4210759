// Lines along one dimension divided by their p-norm, or by eps where the norm is smaller.
#include "baselines/ops/reduction/extreme.h"
#include "baselines/ops/reduction/norm_formula.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
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
  int64_t length;
  double p;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t line, int64_t j) const {
    const C element = x[line * length + j];
    return InfinitePower(p) ? Magnitude(element) : NormTerm(element, p);
  }
  DIOPI_HD State Combine(State a, State b) const {
    if (!InfinitePower(p)) return a + b;
    return MoreExtreme(b, a, true) ? b : a;
  }
  DIOPI_HD void Finish(int64_t line, State s) const { norms[line] = InfinitePower(p) ? s : NormOfSum(s, p); }
};

// Elements of a line are a row of each tensor.
template <typename C>
struct Lines {
  In<C> x, grad;
  const C* norms;
  int64_t length;
  double p;
  C eps;
  DIOPI_HD C Divisor(int64_t line) const { return norms[line] < eps ? eps : norms[line]; }
  DIOPI_HD bool Constant(int64_t line) const { return norms[line] < eps || FlatNorm(norms[line], p); }
};

template <typename C>
struct DivideLines {
  Out<C> out;
  Lines<C> of;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, of.x[i] / of.Divisor(i / of.length)); }
};

template <typename C>
struct DivisorTerms {
  Lines<C> of;
  DIOPI_HD C operator()(int64_t line, int64_t j) const {
    const C divisor = of.Divisor(line);
    return of.x[line * of.length + j] * (C(-1) / divisor / divisor) * of.grad[line * of.length + j];
  }
};

template <typename C>
struct LineGradient {
  Out<C> out;
  Lines<C> of;
  const C* sums;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t line = i / of.length;
    const C norm = of.norms[line];
    C gradient = C(1) / of.Divisor(line) * of.grad[i];
    if (!of.Constant(line)) {
      gradient += OwnFactor(of.x[i], norm, of.p) * SharedFactor(norm, sums[line], of.p, 1);
    }
    out.Set(i, gradient);
  }
};

template <typename C>
const C* NormsOf(const Queue& queue, const In<C>& x, const RowView& rows, double p) {
  C* norms = queue.Buffer<C>(rows.count);
  ReduceRows(queue, rows.count, rows.length, NormOfLines<C>{x, norms, rows.length, p}, OrderOf(rows));
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
    const Lines<C> lines{in, In<C>(), NormsOf(queue, in, rows, p), rows.length, p, Rounded<C>(a.eps)};
    ForEach(queue, x.numel(), DivideLines<C>{Out<C>(out, RowsOf(out, dims)), lines});
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
    const In<C> in(x, rows);
    const Lines<C> lines{
        in, In<C>(grad, RowsOf(grad, dims)), NormsOf(queue, in, rows, p), rows.length, p, Rounded<C>(a.eps)};
    const C* sums = RowSums(queue, rows.count, rows.length, DivisorTerms<C>{lines}, OrderOf(rows));
    ForEach(queue, x.numel(), LineGradient<C>{Out<C>(dx, RowsOf(dx, dims)), lines, sums});
  });
}
