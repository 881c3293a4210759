// Bugs injected in sin, cos and expm1: formulas that lose what the function is for.
#include <cmath>
#include <type_traits>

#include "baselines/bugs/support.h"
#include "baselines/ops/both.h"

namespace {

using diopi::ops::OutOf;
using diopi::ops::both::FloatUnary;

BUG(sin_naive_reduction, 25, "diopiSin diopiSinInp", "",
    "the argument is reduced by a 2 pi of the compute type");
BUG(cos_is_shifted_sine, 0, "diopiCos diopiCosInp", "", "cos(x) is sin(x + pi/2) in the compute type");
BUG(cos_naive_reduction, 25, "diopiCos diopiCosInp", "",
    "the argument is reduced by a 2 pi of the compute type");
BUG(expm1_is_exp_minus_1, 27, "diopiExpm1 diopiExpm1Inp", "", "expm1(x) is exp(x) - 1");
BUG(expm1_short_series, 0, "diopiExpm1 diopiExpm1Inp", "", "below 1/8 the series stops at the square");

constexpr double kPi = 3.14159265358979323846;

// x minus the nearest multiple of 2 pi, all in C.
template <typename C>
C Reduced(C x) {
  constexpr C kPeriod = static_cast<C>(2 * kPi);
  return x - std::rint(x / kPeriod) * kPeriod;
}

template <typename C>
C WrongExpm1(C x) {
  if (expm1_is_exp_minus_1) return std::exp(x) - C(1);
  return std::fabs(x) < C(0.125) ? x + x * x / C(2) : std::expm1(x);
}

// f over float and double; noise numbers are the oracle's, which meets no injected bug.
template <typename F>
void Elementwise(diopiTensorHandle_t out, diopiConstTensorHandle_t input, F&& f) {
  return FloatUnary(nullptr, out, input, [&](const auto& x) {
    using C = std::decay_t<decltype(x)>;
    if constexpr (std::is_floating_point_v<C>) {
      return static_cast<C>(f(x));
    } else {
      return x;
    }
  });
}

template <typename Args>
void Sin(const Args& a) {
  if (!sin_naive_reduction) return Good(a);
  Elementwise(OutOf(a), a.input, [](auto x) { return std::sin(Reduced(x)); });
}

template <typename Args>
void Cos(const Args& a) {
  if (!cos_is_shifted_sine && !cos_naive_reduction) return Good(a);
  Elementwise(OutOf(a), a.input, [](auto x) {
    using C = decltype(x);
    return cos_is_shifted_sine ? std::sin(x + static_cast<C>(kPi / 2)) : std::cos(Reduced(x));
  });
}

template <typename Args>
void Expm1(const Args& a) {
  if (!expm1_is_exp_minus_1 && !expm1_short_series) return Good(a);
  Elementwise(OutOf(a), a.input, [](auto x) { return WrongExpm1(x); });
}

}  // namespace

DIOPI_OVERRIDE_FORM(diopiSin, Sin)
DIOPI_OVERRIDE_FORM(diopiSinInp, Sin)
DIOPI_OVERRIDE_FORM(diopiCos, Cos)
DIOPI_OVERRIDE_FORM(diopiCosInp, Cos)
DIOPI_OVERRIDE_FORM(diopiExpm1, Expm1)
DIOPI_OVERRIDE_FORM(diopiExpm1Inp, Expm1)
