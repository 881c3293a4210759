// Lines along one dimension divided by their p-norm, or by eps where the norm is smaller.
#include "baselines/ops/reduction/vector_norm.h"

DIOPI_KERNEL(diopiNormalize, a) {
  using namespace diopi::ops;
  const Tensor out(a.output), x(a.input);
  CheckShape(out, x.shape(), "output");
  const Rows lines = RowsOver(x.shape(), {WrapDim(a.axis, x.rank())});
  const auto p = static_cast<double>(a.p);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> y(values.size());
    for (size_t line = 0; line < lines.base.size(); ++line) {
      const C norm = RowNorm(values, lines, line, p), least = Rounded<C>(a.eps);
      const C divisor = norm < least ? least : norm;
      for (const int64_t offset : lines.offset) {
        const auto k = static_cast<size_t>(lines.base[line] + offset);
        y[k] = values[k] / divisor;
      }
    }
    Store(out, y);
  });
}

// The quotient's derivative: grad / d, plus through d, where that is the norm, -sum(grad * x) / d^2 times the
// norm's own.
DIOPI_KERNEL(diopiNormalizeBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), grad(a.grad_output), x(a.input);
  CheckShape(grad, x.shape(), "grad_output");
  CheckShape(dx, x.shape(), "grad_input");
  const Rows lines = RowsOver(x.shape(), {WrapDim(a.axis, x.rank())});
  const auto p = static_cast<double>(a.p);
  DispatchFloating(ResultType(dx, {grad, x}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), values = Load<C>(x);
    std::vector<C> d(g.size());
    for (size_t line = 0; line < lines.base.size(); ++line) {
      const C norm = RowNorm(values, lines, line, p), least = Rounded<C>(a.eps);
      const bool constant = norm < least || FlatNorm(norm, p);
      const C divisor = norm < least ? least : norm;
      Sum<C> sum;
      for (const int64_t offset : lines.offset) {
        const auto k = static_cast<size_t>(lines.base[line] + offset);
        sum += values[k] * (C(-1) / divisor / divisor) * g[k];
      }
      const C shared = constant ? C(0) : SharedFactor(norm, sum.total(), p, 1);
      for (const int64_t offset : lines.offset) {
        const auto k = static_cast<size_t>(lines.base[line] + offset);
        d[k] = C(1) / divisor * g[k];
        if (!constant) d[k] += OwnFactor(values[k], norm, p) * shared;
      }
    }
    Store(dx, d);
  });
}
