// The p-norm over dimensions (none given: all), and its gradient. p 0 counts what is not zero, +-inf is the
// largest and smallest magnitude.
#include "baselines/ops/reduction/norm_formula.h"
#include "baselines/ops/reduction/vector_norm.h"

namespace diopi::ops {
namespace {

// The elements of a dense tensor from which one result is made.
template <typename C>
struct RowView {
  const std::vector<C>& x;
  const Rows& rows;
  size_t row;

  size_t size() const { return rows.offset.size(); }
  size_t index(size_t i) const { return static_cast<size_t>(rows.base[row] + rows.offset[i]); }
  const C& operator[](size_t i) const { return x[index(i)]; }
};

// How many elements have the norm's magnitude.
template <typename C>
int64_t CountExtremes(const RowView<C>& x, const C& norm) {
  int64_t extremes = 0;
  for (size_t i = 0; i < x.size(); ++i) extremes += IsExtreme(x[i], norm) ? 1 : 0;
  return extremes;
}

// The gradient of one row's norm times `grad`, in PyTorch's form: 0 where the norm is 0.
template <typename C>
void NormGradient(const RowView<C>& x, const C& norm, const C& grad, double p, std::vector<C>* out) {
  const bool flat = FlatNorm(norm, p);
  const int64_t extremes = InfinitePower(p) ? CountExtremes(x, norm) : 0;
  const C shared = flat ? C(0) : SharedFactor(norm, grad, p, extremes);
  for (size_t i = 0; i < x.size(); ++i) {
    (*out)[x.index(i)] = flat ? C(0) : OwnFactor(x[i], norm, p) * shared;
  }
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiNorm, a) {
  diopi::ops::VectorNorm(a.out, a.input, a.p, diopi::ops::Sizes(a.dim));
}

DIOPI_KERNEL(diopiNormBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), grad(a.grad_output), x(a.self), norms(a.norm);
  const Rows rows = RowsOver(x.shape(), WrapDims(Sizes(a.dim), x.rank()));
  CheckShape(dx, x.shape(), "grad_input");
  CheckReduced(norms, rows);
  CheckReduced(grad, rows);
  const double power = ScalarAsDouble(a.p);
  DispatchFloating(ResultType(dx, {grad, x, norms}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x), g = Load<C>(grad), n = Load<C>(norms);
    std::vector<C> gradients(values.size());
    for (size_t row = 0; row < n.size(); ++row) {
      NormGradient(RowView<C>{values, rows, row}, n[row], g[row], power, &gradients);
    }
    Store(dx, gradients);
  });
}
