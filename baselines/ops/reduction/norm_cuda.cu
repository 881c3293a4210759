// The p-norm over dimensions (none given: all), and its gradient. p 0 counts what is not zero, +-inf is the
// largest and smallest magnitude.
#include "baselines/ops/reduction/norm_formula.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct NormRows {
  using State = C;
  In<C> x;
  Out<C> out;
  int64_t length;
  double p;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return NormTerm(x[row * length + j], p); }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { out.Set(row, NormOfSum(sum, p)); }
};

// The largest or smallest magnitude; below 0: of no element.
template <typename C>
struct ExtremeMagnitudes {
  using State = C;
  In<C> x;
  Out<C> out;
  int64_t length;
  bool greatest;
  DIOPI_HD State Empty() const { return C(-1); }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return Magnitude(x[row * length + j]); }
  DIOPI_HD State Combine(State a, State b) const {
    if (a < C(0) || b < C(0)) return a < C(0) ? b : a;
    return MoreExtreme(b, a, greatest) ? b : a;
  }
  DIOPI_HD void Finish(int64_t row, State s) const { out.Set(row, s); }
};

void Norm(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const diopiScalar_t* p,
          const Shape& dims) {
  const RowView rows = RowsOf(x, dims);
  CheckReduced(out, rows);
  const double power = ScalarAsDouble(p);
  const bool infinite = InfinitePower(power);
  Check(!infinite || rows.length > 0 || rows.count == 0, "cannot compute the ", power,
        " norm over an empty dimension: there is no identity");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> in(x, rows);
    const Out<C> norms(out);
    if (infinite) {
      ReduceRows(queue, rows.count, rows.length, ExtremeMagnitudes<C>{in, norms, rows.length, power > 0});
    } else {
      ReduceRows(queue, rows.count, rows.length, NormRows<C>{in, norms, rows.length, power});
    }
  });
}

// How many elements have the norm's magnitude.
template <typename C>
struct CountExtremes {
  using State = int64_t;
  In<C> x, norms;
  int64_t* counts;
  int64_t length;
  DIOPI_HD State Empty() const { return 0; }
  DIOPI_HD State Load(int64_t row, int64_t j) const {
    return Magnitude(x[row * length + j]) == norms[row] ? 1 : 0;
  }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State count) const { counts[row] = count; }
};

template <typename C>
struct NormGradient {
  Out<C> dx;
  In<C> x, grads, norms;
  const int64_t* extremes;  // null for a finite p
  int64_t length;
  double p;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / length;
    const C norm = norms[row];
    if (FlatNorm(norm, p)) {
      dx.Set(i, C(0));
    } else {
      const int64_t count = extremes != nullptr ? extremes[row] : 0;
      dx.Set(i, OwnFactor(x[i], norm, p) * SharedFactor(norm, grads[row], p, count));
    }
  }
};

void NormBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& grad, const Tensor& x,
                  const Tensor& norms, const Shape& dims, const diopiScalar_t* p) {
  const RowView rows = RowsOf(x, dims);
  CheckShape(dx, x.shape(), "grad_input");
  CheckReduced(norms, rows);
  CheckReduced(grad, rows);
  const double power = ScalarAsDouble(p);
  DispatchFloating(ResultType(dx, {grad, x, norms}), [&]<typename C>() {
    const Queue queue(ctx);
    const In<C> in(x, rows), norm(norms);
    int64_t* extremes = nullptr;
    if (InfinitePower(power)) {
      extremes = queue.Buffer<int64_t>(rows.count);
      ReduceRows(queue, rows.count, rows.length, CountExtremes<C>{in, norm, extremes, rows.length});
    }
    ForEach(
        queue, x.numel(),
        NormGradient<C>{Out<C>(dx, RowsOf(dx, dims)), in, In<C>(grad), norm, extremes, rows.length, power});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNorm, a) {
  using namespace diopi::ops;
  cuda::Norm(a.ctx, a.out, a.input, a.p, Sizes(a.dim));
}

DIOPI_KERNEL(diopiNormBackward, a) {
  using namespace diopi::ops;
  cuda::NormBackward(a.ctx, a.grad_input, a.grad_output, a.self, a.norm, Sizes(a.dim), a.p);
}
