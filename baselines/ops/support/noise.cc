#include "baselines/ops/support/noise.h"

#include <algorithm>
#include <cmath>

// Name, k, and f'(x) in terms of x and f = f(x). k is twice the maximum error in ulps that CUDA's programming
// guide states for the float32 function (docs/method.md, section 3.1, which a test compares with this file).
#define DIOPI_NOISE_FUNCTION(name, k, derivative)        \
  namespace {                                            \
  template <typename V>                                  \
  Noise<V> name##Of(const Noise<V>& n) {                 \
    const V x = n.v;                                     \
    const V f = std::name(x);                            \
    return Noise<V>::Function(n, f, derivative, k);      \
  }                                                      \
  }                                                      \
  Noise<double> name(const Noise<double>& x) {           \
    return name##Of(x);                                  \
  }                                                      \
  Noise<long double> name(const Noise<long double>& x) { \
    return name##Of(x);                                  \
  }

namespace diopi::ops {
namespace {

template <typename V>
constexpr V kTwoOverSqrtPi = static_cast<V>(1.128379167095512573896158903121545172L);
template <typename V>
constexpr V kLn2 = static_cast<V>(0.693147180559945309417232121458176568L);
template <typename V>
constexpr V kLn10 = static_cast<V>(2.302585092994045684017991454684364208L);

// 4 half ulps, and the rounding of x*log2(e) that grows with x.
template <typename V>
double ExpQuality(V x) {
  const double d = static_cast<double>(x);
  return std::sqrt(16 + d * d);
}

// Near 0, where the derivative is infinite, the error of a root f is at most the root of its operand's.
template <typename V>
V RootSlope(V f, V s2) {
  const V near_zero = 1 / std::sqrt(std::sqrt(s2));
  if (f > 0) return std::min(V(0.5) / f, near_zero);
  return s2 > 0 ? near_zero : V(0);
}

}  // namespace

DIOPI_NOISE_FUNCTION(sqrt, 1, RootSlope(f, n.s2))
DIOPI_NOISE_FUNCTION(cbrt, 2, f / (3 * x))
DIOPI_NOISE_FUNCTION(exp, ExpQuality(x), f)
DIOPI_NOISE_FUNCTION(exp2, ExpQuality(x), f* kLn2<V>)
DIOPI_NOISE_FUNCTION(expm1, 2, f + 1)
DIOPI_NOISE_FUNCTION(log, 2, 1 / x)
DIOPI_NOISE_FUNCTION(log2, 2, 1 / (x * kLn2<V>))
DIOPI_NOISE_FUNCTION(log10, 4, 1 / (x * kLn10<V>))
DIOPI_NOISE_FUNCTION(log1p, 2, 1 / (1 + x))
DIOPI_NOISE_FUNCTION(sin, 4, std::cos(x))
DIOPI_NOISE_FUNCTION(cos, 4, -std::sin(x))
DIOPI_NOISE_FUNCTION(tan, 8, 1 + f * f)
DIOPI_NOISE_FUNCTION(asin, 4, 1 / std::sqrt(1 - x * x))
DIOPI_NOISE_FUNCTION(acos, 4, -1 / std::sqrt(1 - x * x))
DIOPI_NOISE_FUNCTION(atan, 4, 1 / (1 + x * x))
DIOPI_NOISE_FUNCTION(sinh, 6, std::cosh(x))
DIOPI_NOISE_FUNCTION(cosh, 4, std::sinh(x))
DIOPI_NOISE_FUNCTION(tanh, 4, 1 - f * f)
DIOPI_NOISE_FUNCTION(asinh, 6, 1 / std::sqrt(x * x + 1))
DIOPI_NOISE_FUNCTION(acosh, 8, 1 / std::sqrt(x * x - 1))
DIOPI_NOISE_FUNCTION(atanh, 6, 1 / (1 - x * x))
DIOPI_NOISE_FUNCTION(erf, 4, kTwoOverSqrtPi<V>* std::exp(-x* x))
DIOPI_NOISE_FUNCTION(erfc, 8, -kTwoOverSqrtPi<V>* std::exp(-x* x))

namespace {

template <typename V>
Noise<V> PowOf(const Noise<V>& a, const Noise<V>& b) {
  const V f = std::pow(a.v, b.v);
  const V da = a.s2 > 0 && a.v != 0 ? b.v * f / a.v : V(0);
  const V db = b.s2 > 0 && a.v > 0 ? f * std::log(a.v) : V(0);
  return Noise<V>::Of(f, da * da * a.s2 + db * db * b.s2, 16);
}

template <typename V>
Noise<V> Atan2Of(const Noise<V>& y, const Noise<V>& x) {
  const V a = y.v, b = x.v;
  const V r2 = a * a + b * b;
  const V s2 = r2 > 0 && std::isfinite(r2) ? b / r2 * (b / r2) * y.s2 + a / r2 * (a / r2) * x.s2 : V(0);
  return Noise<V>::Of(std::atan2(y.v, x.v), s2, 6);
}

}  // namespace

Noise<double> pow(const Noise<double>& a, const Noise<double>& b) {
  return PowOf(a, b);
}
Noise<long double> pow(const Noise<long double>& a, const Noise<long double>& b) {
  return PowOf(a, b);
}
Noise<double> atan2(const Noise<double>& y, const Noise<double>& x) {
  return Atan2Of(y, x);
}
Noise<long double> atan2(const Noise<long double>& y, const Noise<long double>& x) {
  return Atan2Of(y, x);
}

}  // namespace diopi::ops
