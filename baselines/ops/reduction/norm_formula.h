// The p-norm's formulas, shared by the CPU reference and the NVIDIA reference.
#ifndef BASELINES_OPS_REDUCTION_NORM_FORMULA_H_
#define BASELINES_OPS_REDUCTION_NORM_FORMULA_H_

#include <cmath>
#include <cstdint>

#include "baselines/ops/reduction/extreme.h"
#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/noise.h"

namespace diopi::ops {

DIOPI_HD inline bool InfinitePower(double p) {
  return p == p && p - p != 0;
}

template <typename C>
DIOPI_HD C Magnitude(const C& x) {
  using std::fabs;
  return fabs(x);
}

// -1, 0 or 1.
template <typename C>
DIOPI_HD C Sign(const C& x) {
  return C(x > C(0) ? 1 : x < C(0) ? -1 : 0);
}

// What an element adds to a norm with a finite p.
template <typename C>
DIOPI_HD C NormTerm(const C& x, double p) {
  using std::pow;
  if (p == 0) return C(x != C(0) ? 1 : 0);
  if (p == 1) return Magnitude(x);
  if (p == 2) return x * x;
  return pow(Magnitude(x), Rounded<C>(p));
}

// The norm of the sum of those.
template <typename C>
DIOPI_HD C NormOfSum(const C& sum, double p) {
  using std::pow;
  using std::sqrt;
  if (p == 0 || p == 1) return sum;
  if (p == 2) return sqrt(sum);
  return pow(sum, Rounded<C>(1 / p));
}

// What the gradients of one row have in common: grad * norm^(1-p). `extremes`: how many elements have the
// norm's magnitude, for an infinite p.
template <typename C>
DIOPI_HD C SharedFactor(const C& norm, const C& grad, double p, int64_t extremes) {
  using std::pow;
  if (InfinitePower(p)) return grad / Exact<C>(extremes);
  if (p == 1) return grad;
  if (p == 2) return grad / norm;
  return p < 1 ? grad * pow(norm, Rounded<C>(1 - p)) : grad / pow(norm, Rounded<C>(p - 1));
}

// Whether the gradient of an infinite p's norm goes to the element, and to how many others: NaN makes the
// norm, and then its sign, 0, is the gradient, as in PyTorch.
template <typename C>
DIOPI_HD bool IsExtreme(const C& x, const C& norm) {
  return Magnitude(x) == norm || x != x;
}

// And the element's own factor: sign(x) * |x|^(p-1).
template <typename C>
DIOPI_HD C OwnFactor(const C& x, const C& norm, double p) {
  using std::pow;
  if (InfinitePower(p)) return IsExtreme(x, norm) ? Sign(x) : C(0);
  if (p == 1) return Sign(x);
  if (p == 2) return x;
  if (p < 1 && x == C(0)) return C(0);
  return p < 2 ? Sign(x) * pow(Magnitude(x), Rounded<C>(p - 1)) : x * pow(Magnitude(x), Rounded<C>(p - 2));
}

// Rows whose gradient is 0 in PyTorch's form: p 0, and a norm of 0 where its derivative is undefined.
template <typename C>
DIOPI_HD bool FlatNorm(const C& norm, double p) {
  return p == 0 || (!InfinitePower(p) && p > 1 && norm == C(0));
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_REDUCTION_NORM_FORMULA_H_
