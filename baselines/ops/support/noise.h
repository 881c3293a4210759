// A number that carries the variance of the rounding noise that an ordinary evaluation would give it; the
// oracle runs the kernels on these numbers (docs/method.md, section 3.1). Each operation propagates
// the variances by its squared partial derivatives and adds one rounding, (k*u*v)^2/3, where k is the
// quality of the primitive in half ulps (1 for + - * / sqrt, twice CUDA's bound in ulps for functions) and
// u*v is at least half a subnormal step.
//
//   Noise<double>       noise64: the oracle of float16, bfloat16 and float32 cases, u = 2^-24
//   Noise<long double>  noise80: the oracle of float64 cases, u = 2^-53
//
// Kernels write `using std::exp; exp(x)` and find these by argument-dependent lookup. Constants that enter a
// formula are exact: C(0.5), Exact<C>(0.5); one that the compute type must round is Rounded<C>(sqrt2).
// Infinite and NaN values carry no noise: they are compared exactly.
#ifndef BASELINES_OPS_SUPPORT_NOISE_H_
#define BASELINES_OPS_SUPPORT_NOISE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "baselines/ops/support/hd.h"

namespace diopi::ops {

template <typename V>
struct Noise {
  static_assert(std::is_same_v<V, double> || std::is_same_v<V, long double>);
  // Unit roundoff of the arithmetic whose noise is tracked.
  static constexpr double kUnit = std::is_same_v<V, double> ? 0x1p-24 : 0x1p-53;
  // The largest number of that arithmetic.
  static constexpr V kLargest = std::is_same_v<V, double> ? V(std::numeric_limits<float>::max())
                                                          : V(std::numeric_limits<double>::max());
  // Half a subnormal step of it: the rounding of a number below the normal ones.
  static constexpr V kHalfStep = static_cast<V>(std::is_same_v<V, double> ? 0x1p-150L : 0x1p-1075L);

  V v = 0;
  V s2 = 0;  // in V too: the squares of small float64 values do not fit a double

  constexpr Noise() = default;
  template <typename T>
  requires std::is_arithmetic_v<T>
  constexpr Noise(T x) : v(static_cast<V>(x)) {}  // NOLINT: constants are exact numbers
  constexpr Noise(V value, V variance) : v(value), s2(variance) {}

  template <typename T>
  requires std::is_arithmetic_v<T>
  explicit constexpr operator T() const { return static_cast<T>(v); }

  // `variance` from the operands, plus one rounding of `value` of quality k. 0 needs none.
  static Noise Of(V value, V variance, double k) {
    const V unit = std::fmax(static_cast<V>(kUnit) * std::fabs(value), value == 0 ? V(0) : kHalfStep);
    const V d = static_cast<V>(k) * unit;
    return Clean(value, variance + d * d / 3);
  }
  // No rounding: the value is exact given the operands.
  static Noise Clean(V value, V variance) {
    if (!std::isfinite(value)) return Noise(value, 0.0);
    if (variance <= std::numeric_limits<V>::max()) return Noise(value, variance);
    return Noise(value, std::isnan(variance) ? V(0) : std::numeric_limits<V>::max());
  }
  // A function with value f and derivative df at x; a derivative at a singular point counts as 0.
  static Noise Function(const Noise& x, V f, V df, double k) {
    const V d = df;
    return Of(f, std::isfinite(d) ? d * d * x.s2 : 0.0, k);
  }

  friend Noise operator+(const Noise& a, const Noise& b) { return Of(a.v + b.v, a.s2 + b.s2, 1); }
  friend Noise operator-(const Noise& a, const Noise& b) { return Of(a.v - b.v, a.s2 + b.s2, 1); }
  friend Noise operator*(const Noise& a, const Noise& b) {
    const V x = a.v, y = b.v;
    return Of(a.v * b.v, y * y * a.s2 + x * x * b.s2, 1);
  }
  friend Noise operator/(const Noise& a, const Noise& b) {
    const V q = a.v / b.v;
    const V d = b.v;
    if (!std::isfinite(d)) return Of(q, 0.0, 1);
    // A divisor that the arithmetic does not have is infinite there, and the quotient 0.
    const V lost = std::fabs(d) > kLargest ? q * q : V(0);
    return Of(q, a.s2 / d / d + q * q * (b.s2 / d / d) + lost, 1);
  }
  friend Noise operator-(const Noise& a) { return Noise(-a.v, a.s2); }
  friend Noise operator+(const Noise& a) { return a; }
  Noise& operator+=(const Noise& b) { return *this = *this + b; }
  Noise& operator-=(const Noise& b) { return *this = *this - b; }
  Noise& operator*=(const Noise& b) { return *this = *this * b; }
  Noise& operator/=(const Noise& b) { return *this = *this / b; }

  // Compares values; NaN equals nothing.
  friend bool operator==(const Noise& a, const Noise& b) { return a.v == b.v; }
  friend bool operator!=(const Noise& a, const Noise& b) { return a.v != b.v; }
  friend bool operator<(const Noise& a, const Noise& b) { return a.v < b.v; }
  friend bool operator<=(const Noise& a, const Noise& b) { return a.v <= b.v; }
  friend bool operator>(const Noise& a, const Noise& b) { return a.v > b.v; }
  friend bool operator>=(const Noise& a, const Noise& b) { return a.v >= b.v; }
};

static_assert(sizeof(Noise<double>) == 16 &&
              sizeof(Noise<long double>) == 32);  // noise64, noise80 of the ABI

// Exact: sign, selection, rounding to an integer (a jump: generators keep away from it).
template <typename V>
bool isnan(const Noise<V>& x) {
  return std::isnan(x.v);
}
template <typename V>
bool isinf(const Noise<V>& x) {
  return std::isinf(x.v);
}
template <typename V>
bool isfinite(const Noise<V>& x) {
  return std::isfinite(x.v);
}
template <typename V>
bool signbit(const Noise<V>& x) {
  return std::signbit(x.v);
}
template <typename V>
Noise<V> abs(const Noise<V>& x) {
  return {std::fabs(x.v), x.s2};
}
template <typename V>
Noise<V> fabs(const Noise<V>& x) {
  return {std::fabs(x.v), x.s2};
}
template <typename V>
Noise<V> floor(const Noise<V>& x) {
  return {std::floor(x.v), 0.0};
}
template <typename V>
Noise<V> ceil(const Noise<V>& x) {
  return {std::ceil(x.v), 0.0};
}
template <typename V>
Noise<V> trunc(const Noise<V>& x) {
  return {std::trunc(x.v), 0.0};
}
template <typename V>
Noise<V> round(const Noise<V>& x) {
  return {std::round(x.v), 0.0};
}
template <typename V>
Noise<V> nearbyint(const Noise<V>& x) {
  return {std::nearbyint(x.v), 0.0};
}
template <typename V>
Noise<V> copysign(const Noise<V>& x, const Noise<V>& y) {
  return {std::copysign(x.v, y.v), x.s2};
}
template <typename V>
Noise<V> fmod(const Noise<V>& a, const Noise<V>& b) {
  const V n = std::trunc(a.v / b.v);
  return Noise<V>::Clean(std::fmod(a.v, b.v), a.s2 + n * n * b.s2);
}
// One rounding for both operations.
template <typename V>
Noise<V> fma(const Noise<V>& a, const Noise<V>& b, const Noise<V>& c) {
  const V x = a.v, y = b.v;
  return Noise<V>::Of(std::fma(a.v, b.v, c.v), y * y * a.s2 + x * x * b.s2 + c.s2, 1);
}

// Functions, defined in noise.cc for both types; k beside each there.
#define DIOPI_NOISE_FUNCTION(name)            \
  Noise<double> name(const Noise<double>& x); \
  Noise<long double> name(const Noise<long double>& x);
DIOPI_NOISE_FUNCTION(sqrt)
DIOPI_NOISE_FUNCTION(cbrt)
DIOPI_NOISE_FUNCTION(exp)
DIOPI_NOISE_FUNCTION(exp2)
DIOPI_NOISE_FUNCTION(expm1)
DIOPI_NOISE_FUNCTION(log)
DIOPI_NOISE_FUNCTION(log2)
DIOPI_NOISE_FUNCTION(log10)
DIOPI_NOISE_FUNCTION(log1p)
DIOPI_NOISE_FUNCTION(sin)
DIOPI_NOISE_FUNCTION(cos)
DIOPI_NOISE_FUNCTION(tan)
DIOPI_NOISE_FUNCTION(asin)
DIOPI_NOISE_FUNCTION(acos)
DIOPI_NOISE_FUNCTION(atan)
DIOPI_NOISE_FUNCTION(sinh)
DIOPI_NOISE_FUNCTION(cosh)
DIOPI_NOISE_FUNCTION(tanh)
DIOPI_NOISE_FUNCTION(asinh)
DIOPI_NOISE_FUNCTION(acosh)
DIOPI_NOISE_FUNCTION(atanh)
DIOPI_NOISE_FUNCTION(erf)
DIOPI_NOISE_FUNCTION(erfc)
#undef DIOPI_NOISE_FUNCTION
Noise<double> pow(const Noise<double>& a, const Noise<double>& b);
Noise<long double> pow(const Noise<long double>& a, const Noise<long double>& b);
Noise<double> atan2(const Noise<double>& y, const Noise<double>& x);
Noise<long double> atan2(const Noise<long double>& y, const Noise<long double>& x);

template <typename C>
inline constexpr bool kIsNoise = false;
template <typename V>
inline constexpr bool kIsNoise<Noise<V>> = true;

// A constant, as exact as it is written.
template <typename C, typename T>
DIOPI_HD C Exact(T x) {
  return static_cast<C>(x);
}

// A constant or host number (1/sqrt(2), eps, a scalar argument) that an evaluation in the compute type has to
// round: it carries that rounding where the type cannot hold it.
template <typename C>
DIOPI_HD C Rounded(long double x) {
  if constexpr (std::is_same_v<C, Noise<double>>) {
    const double v = static_cast<double>(x);
    if (static_cast<double>(static_cast<float>(v)) == v) return C(v);
    return C::Of(v, 0.0, 1);
  } else if constexpr (std::is_same_v<C, Noise<long double>>) {
    if (static_cast<long double>(static_cast<double>(x)) == x) return C(x);
    return C::Of(x, 0.0, 1);
  } else {
    return static_cast<C>(x);
  }
}

// An operand without the noise that the oracle gives every input: for results that are one of the inputs (a
// largest element), and for table functions that are accurate over their whole range (a sine, for which one
// rounding of a large argument would be a large part of a period).
template <typename C>
DIOPI_HD C AsGiven(const C& x) {
  if constexpr (kIsNoise<C>) {
    return C(x.v);
  } else {
    return x;
  }
}

// A number whose error `count` terms of a sum have in common: there it adds up, and a sum of noise numbers
// takes the errors of its terms as independent. The variance is an upper bound, that of equal terms.
template <typename C>
DIOPI_HD C InCommon(const C& x, const C& count) {
  if constexpr (kIsNoise<C>) {
    return C::Clean(x.v, x.s2 * std::max(count.v, decltype(count.v)(1)));
  } else {
    return x;
  }
}

// The value as a double, for decisions that are not arithmetic.
template <typename C>
double ToDouble(const C& x) {
  return static_cast<double>(x);
}

}  // namespace diopi::ops

// Start values for maxima and minima: numeric_limits<C>::infinity(), lowest(), ...
template <typename V>
// NOLINTNEXTLINE(bugprone-std-namespace-modification): the standard allows it for a type of ours
class std::numeric_limits<diopi::ops::Noise<V>> {
 public:
  using T = diopi::ops::Noise<V>;
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr T infinity() { return T(std::numeric_limits<V>::infinity()); }
  static constexpr T quiet_NaN() { return T(std::numeric_limits<V>::quiet_NaN()); }
  static constexpr T lowest() { return T(std::numeric_limits<V>::lowest()); }
  static constexpr T max() { return T(std::numeric_limits<V>::max()); }
};

#endif  // BASELINES_OPS_SUPPORT_NOISE_H_
