// The inverse of the error function: Newton's steps from an approximation (Winitzki's; on a GPU, CUDA's).
// Only the rounding of the last step counts.
#include "baselines/ops/elementwise/unary.h"

namespace diopi::ops {
namespace {

template <typename C>
struct WithoutNoise {
  using Type = C;
};
template <typename V>
struct WithoutNoise<Noise<V>> {
  using Type = V;
};

constexpr long double kTwoOverSqrtPi = 1.12837916709551257389615890312154517L;

// x with erf(x) = y nearly, for y within (-1, 1).
template <typename V>
DIOPI_HD V ErfinvStart(V y) {
  using std::copysign;
  using std::log;
  using std::sqrt;
  const V a = V(0.147), logarithm = log((V(1) - y) * (V(1) + y));
  const V half = V(4.330746750799873) + logarithm / V(2);
  return copysign(sqrt(sqrt(half * half - logarithm / a) - half), y);
}

template <typename C>
DIOPI_HD C NewtonStep(const C& x, const C& y) {
  using std::erf;
  using std::exp;
  return x - (erf(x) - y) / (Rounded<C>(kTwoOverSqrtPi) * exp(-x * x));
}

template <typename C>
DIOPI_HD C Erfinv(const C& y) {
  using V = typename WithoutNoise<C>::Type;
  const V value = static_cast<V>(y);
  if (!(value > V(-1) && value < V(1))) {
    if (value == V(1)) return C(static_cast<V>(INFINITY));
    return value == V(-1) ? C(static_cast<V>(-INFINITY)) : C(static_cast<V>(NAN));
  }
  if (value == V(0)) return y;
#if defined(__CUDA_ARCH__)
  const V x = ::erfinv(value);
#else
  V x = ErfinvStart(value);
  for (int step = 0; step < 3; ++step) x = NewtonStep(x, value);
#endif
  return NewtonStep(C(x), y);
}

}  // namespace
}  // namespace diopi::ops

DIOPI_UNARY(Erfinv, FloatUnary, Erfinv(AsGiven(x)))
