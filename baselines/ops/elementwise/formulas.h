// Formulas of one element that both references evaluate: the CPU's in every compute type of the oracle too,
// the NVIDIA one's on the device.
#ifndef BASELINES_OPS_ELEMENTWISE_FORMULAS_H_
#define BASELINES_OPS_ELEMENTWISE_FORMULAS_H_

#include <cmath>
#include <cstdint>

#include "baselines/ops/support/dtype.h"
#include "baselines/ops/support/hd.h"

namespace diopi::ops {

// 0 for what is not above it, NaN as it is.
template <typename C>
DIOPI_HD C Relu(const C& x) {
  return x > C(0) || x != x ? x : C(0);
}

template <typename C>
DIOPI_HD C Abs(const C& x) {
  if constexpr (kIsInteger<C>) {
    return x < 0 ? WrapNeg(x) : x;
  } else {
    using std::fabs;
    return fabs(x);
  }
}

template <typename C>
DIOPI_HD C Sigmoid(const C& x) {
  using std::exp;
  return C(1) / (C(1) + exp(-x));
}

// An integer stays unchanged.
template <typename C>
DIOPI_HD C Floor(const C& x) {
  if constexpr (kIsInteger<C>) {
    return x;
  } else {
    using std::floor;
    return floor(x);
  }
}
template <typename C>
DIOPI_HD C Ceil(const C& x) {
  if constexpr (kIsInteger<C>) {
    return x;
  } else {
    using std::ceil;
    return ceil(x);
  }
}

// x sigmoid(x), as the reference library writes it and its gradient.
template <typename C>
DIOPI_HD C Silu(const C& x) {
  using std::exp;
  return x / (C(1) + exp(-x));
}
template <typename C>
DIOPI_HD C SiluGrad(const C& grad, const C& x) {
  const C s = Sigmoid(x);
  return grad * s * (C(1) + x * (C(1) - s));
}

template <typename C>
DIOPI_HD C Hardswish(const C& x) {
  const C shifted = x + C(3);
  const C above = shifted > C(0) ? shifted : C(0);
  return x * (above < C(6) ? above : C(6)) / C(6);
}
template <typename C>
DIOPI_HD C HardswishGrad(const C& grad, const C& x) {
  if (x < C(-3)) return C(0);
  return x <= C(3) ? grad * (x / C(3) + C(0.5)) : grad;
}

// Division of integers: the divisor is not 0. Quotients of floating numbers are rounded before they are
// truncated: where a rounding can reach the next whole number, as in 1 / 0.1f, the noise reaches it, too.
template <typename C>
DIOPI_HD C DivTrunc(const C& x, const C& y) {
  if constexpr (kIsInteger<C>) {
    return y == -1 ? WrapNeg(x) : x / y;
  } else {
    using std::trunc;
    const C quotient = x / y;
    const C whole = trunc(quotient);
    if constexpr (kIsNoise<C>) {
      constexpr double kStepSigmas = 4;
      const auto off = std::fabs(quotient.v - std::nearbyint(quotient.v));
      if (off > 0 && off <= kStepSigmas * std::sqrt(quotient.s2))
        return C::Clean(whole.v, 1 / (kStepSigmas * kStepSigmas));
    }
    return whole;
  }
}

// For floating numbers, from fmod, which is exact: floor(x / y) would be one too high where the quotient was
// rounded up to an integer.
template <typename C>
DIOPI_HD C DivFloor(const C& x, const C& y) {
  if constexpr (kIsInteger<C>) {
    const C quotient = DivTrunc(x, y);
    const bool inexact = y != -1 && x % y != 0;
    return inexact && ((x < 0) != (y < 0)) ? quotient - 1 : quotient;
  } else {
    using std::copysign;
    using std::floor;
    using std::fmod;
    if (y == C(0)) return x / y;
    const C remainder = fmod(x, y);
    C quotient = (x - remainder) / y;
    if (remainder != C(0) && (y < C(0)) != (remainder < C(0))) quotient -= C(1);
    if (quotient == C(0)) return copysign(C(0), x / y);
    C result = floor(quotient);
    if (quotient - result > C(0.5)) result += C(1);
    return result;
  }
}

// For integers, by repeated multiplication modulo 2^64.
DIOPI_HD inline int64_t PowInteger(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = WrapMul(result, base);
    base = WrapMul(base, base);
  }
  return result;
}
template <typename C>
DIOPI_HD C Power(const C& base, const C& exponent) {
  if constexpr (kIsInteger<C>) {
    return PowInteger(base, exponent);
  } else {
    using std::pow;
    return pow(base, exponent);
  }
}

// gelu in both forms, as the reference library writes them:
//   erf:  x/2 (1 + erf(x/sqrt 2))
//   tanh: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
inline constexpr long double kSqrtHalf = 0.707106781186547524400844362104849039L;
inline constexpr long double kSqrtTwoOverPi = 0.797884560802865355879892119868763737L;
inline constexpr long double kInvSqrtTwoPi = 0.398942280401432677939946059934381868L;
inline constexpr long double kGeluCubic = static_cast<long double>(0.044715);  // a double there too

template <typename C>
DIOPI_HD C GeluInner(const C& x) {
  return Rounded<C>(kSqrtTwoOverPi) * (x + Rounded<C>(kGeluCubic) * (x * x * x));
}

template <typename C>
DIOPI_HD C GeluTanh(const C& x) {
  using std::tanh;
  return C(0.5) * x * (C(1) + tanh(GeluInner(x)));
}

template <typename C>
DIOPI_HD C GeluErf(const C& x) {
  using std::erf;
  return x * C(0.5) * (C(1) + erf(x * Rounded<C>(kSqrtHalf)));
}

template <typename C>
DIOPI_HD C GeluTanhGrad(const C& grad, const C& x) {
  using std::tanh;
  const C t = tanh(GeluInner(x));
  const C left = C(0.5) * x, right = C(1) + t;
  const C inner_derivative = Rounded<C>(kSqrtTwoOverPi) * (C(1) + C(3) * Rounded<C>(kGeluCubic) * (x * x));
  return grad * (C(0.5) * right + left * (C(1) - t * t) * inner_derivative);
}

template <typename C>
DIOPI_HD C GeluErfGrad(const C& grad, const C& x) {
  using std::erf;
  using std::exp;
  const C cdf = C(0.5) * (C(1) + erf(x * Rounded<C>(kSqrtHalf)));
  const C pdf = exp(C(-0.5) * x * x) * Rounded<C>(kInvSqrtTwoPi);
  return grad * (cdf + x * pdf);
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_ELEMENTWISE_FORMULAS_H_
