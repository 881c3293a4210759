// A number that counts the operations on it. Only baselines/counting is built with it.
#ifndef BASELINES_COUNTING_COUNTED_H_
#define BASELINES_COUNTING_COUNTED_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "baselines/ops/support/noise.h"

namespace diopi::ops {

// Operations so far, of the one thread that calls the library.
uint64_t& OperationsCounted();

// Every arithmetic operation, comparison of order and function of a number counts as one. Tests for NaN and
// equality do not: kernels use them to handle special values, not to compute.
struct Counted {
  double v = 0;

  Counted() = default;
  template <typename T>
  requires std::is_arithmetic_v<T> Counted(T x)
      : v(static_cast<double>(x)) {}  // NOLINT: constants are numbers
  template <typename V>
  explicit Counted(const Noise<V>& x) : v(static_cast<double>(x.v)) {}
  template <typename T>
  requires std::is_arithmetic_v<T>
  explicit operator T() const { return static_cast<T>(v); }

  static Counted Of(double x) {
    ++OperationsCounted();
    return Made(x);
  }
  static Counted Made(double x) {
    Counted result;
    result.v = x;
    return result;
  }
  static bool Compared(bool result) {
    ++OperationsCounted();
    return result;
  }

  friend Counted operator+(Counted a, Counted b) { return Of(a.v + b.v); }
  friend Counted operator-(Counted a, Counted b) { return Of(a.v - b.v); }
  friend Counted operator*(Counted a, Counted b) { return Of(a.v * b.v); }
  friend Counted operator/(Counted a, Counted b) { return Of(a.v / b.v); }
  friend Counted operator-(Counted a) { return Of(-a.v); }
  friend Counted operator+(Counted a) { return a; }
  Counted& operator+=(Counted b) { return *this = *this + b; }
  Counted& operator-=(Counted b) { return *this = *this - b; }
  Counted& operator*=(Counted b) { return *this = *this * b; }
  Counted& operator/=(Counted b) { return *this = *this / b; }

  friend bool operator==(Counted a, Counted b) { return a.v == b.v; }
  friend bool operator!=(Counted a, Counted b) { return a.v != b.v; }
  friend bool operator<(Counted a, Counted b) { return Compared(a.v < b.v); }
  friend bool operator<=(Counted a, Counted b) { return Compared(a.v <= b.v); }
  friend bool operator>(Counted a, Counted b) { return Compared(a.v > b.v); }
  friend bool operator>=(Counted a, Counted b) { return Compared(a.v >= b.v); }

  friend bool isnan(Counted x) { return std::isnan(x.v); }
  friend bool isinf(Counted x) { return std::isinf(x.v); }
  friend bool isfinite(Counted x) { return std::isfinite(x.v); }
  friend bool signbit(Counted x) { return std::signbit(x.v); }

#define DIOPI_COUNTED_FUNCTION(name) \
  friend Counted name(Counted x) {   \
    return Of(std::name(x.v));       \
  }
  DIOPI_COUNTED_FUNCTION(abs)
  DIOPI_COUNTED_FUNCTION(fabs)
  DIOPI_COUNTED_FUNCTION(floor)
  DIOPI_COUNTED_FUNCTION(ceil)
  DIOPI_COUNTED_FUNCTION(trunc)
  DIOPI_COUNTED_FUNCTION(round)
  DIOPI_COUNTED_FUNCTION(nearbyint)
  DIOPI_COUNTED_FUNCTION(sqrt)
  DIOPI_COUNTED_FUNCTION(cbrt)
  DIOPI_COUNTED_FUNCTION(exp)
  DIOPI_COUNTED_FUNCTION(exp2)
  DIOPI_COUNTED_FUNCTION(expm1)
  DIOPI_COUNTED_FUNCTION(log)
  DIOPI_COUNTED_FUNCTION(log2)
  DIOPI_COUNTED_FUNCTION(log10)
  DIOPI_COUNTED_FUNCTION(log1p)
  DIOPI_COUNTED_FUNCTION(sin)
  DIOPI_COUNTED_FUNCTION(cos)
  DIOPI_COUNTED_FUNCTION(tan)
  DIOPI_COUNTED_FUNCTION(asin)
  DIOPI_COUNTED_FUNCTION(acos)
  DIOPI_COUNTED_FUNCTION(atan)
  DIOPI_COUNTED_FUNCTION(sinh)
  DIOPI_COUNTED_FUNCTION(cosh)
  DIOPI_COUNTED_FUNCTION(tanh)
  DIOPI_COUNTED_FUNCTION(asinh)
  DIOPI_COUNTED_FUNCTION(acosh)
  DIOPI_COUNTED_FUNCTION(atanh)
  DIOPI_COUNTED_FUNCTION(erf)
  DIOPI_COUNTED_FUNCTION(erfc)
#undef DIOPI_COUNTED_FUNCTION
  friend Counted copysign(Counted x, Counted y) {
    return Made(std::copysign(x.v, y.v));
  }
  friend Counted fmod(Counted a, Counted b) {
    return Of(std::fmod(a.v, b.v));
  }
  friend Counted pow(Counted a, Counted b) {
    return Of(std::pow(a.v, b.v));
  }
  friend Counted atan2(Counted y, Counted x) {
    return Of(std::atan2(y.v, x.v));
  }
  // A multiply-add is two.
  friend Counted fma(Counted a, Counted b, Counted c) {
    ++OperationsCounted();
    return Of(std::fma(a.v, b.v, c.v));
  }
};

}  // namespace diopi::ops

template <>
// NOLINTNEXTLINE(bugprone-std-namespace-modification): the standard allows it for a type of ours
class std::numeric_limits<diopi::ops::Counted> {
 public:
  using T = diopi::ops::Counted;
  static constexpr bool is_specialized = true;
  static constexpr bool is_integer = false;
  static constexpr bool has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static T infinity() { return T::Made(std::numeric_limits<float>::infinity()); }
  static T quiet_NaN() { return T::Made(std::numeric_limits<float>::quiet_NaN()); }
  static T lowest() { return T::Made(std::numeric_limits<float>::lowest()); }
  static T max() { return T::Made(std::numeric_limits<float>::max()); }
};

#endif  // BASELINES_COUNTING_COUNTED_H_
