// Bugs planted in sin, cos and expm1: formulas that lose what the function is for.
#include <cmath>
#include <type_traits>

#include "baselines/mutants/support.h"
#include "baselines/ops/support/map.h"

DIOPI_OVERRIDE(diopiSin);
DIOPI_OVERRIDE(diopiSinInp);
DIOPI_OVERRIDE(diopiCos);
DIOPI_OVERRIDE(diopiCosInp);
DIOPI_OVERRIDE(diopiExpm1);
DIOPI_OVERRIDE(diopiExpm1Inp);

namespace {

using diopi::ops::FloatUnary;

PLANT(sin_naive_reduction, 25, "diopiSin diopiSinInp", "",
      "the argument is reduced by a 2 pi of the compute type");
PLANT(cos_is_shifted_sine, 0, "diopiCos diopiCosInp", "", "cos(x) is sin(x + pi/2) in the compute type");
PLANT(cos_naive_reduction, 25, "diopiCos diopiCosInp", "",
      "the argument is reduced by a 2 pi of the compute type");
PLANT(expm1_is_exp_minus_1, 27, "diopiExpm1 diopiExpm1Inp", "", "expm1(x) is exp(x) - 1");
PLANT(expm1_short_series, 0, "diopiExpm1 diopiExpm1Inp", "", "below 1/8 the series stops at the square");

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

// f over float and double; noise numbers are the oracle's, which meets no mutant.
template <typename F>
diopiError_t Elementwise(const char* function, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         F&& f) {
  return FloatUnary(function, out, input, [&](const auto& x) {
    using C = std::decay_t<decltype(x)>;
    if constexpr (std::is_floating_point_v<C>) {
      return static_cast<C>(f(x));
    } else {
      return x;
    }
  });
}

diopiError_t WrongSin(const char* function, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return Elementwise(function, out, input, [](auto x) { return std::sin(Reduced(x)); });
}

diopiError_t WrongCos(const char* function, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return Elementwise(function, out, input, [](auto x) {
    using C = decltype(x);
    return cos_is_shifted_sine ? std::sin(x + static_cast<C>(kPi / 2)) : std::cos(Reduced(x));
  });
}

diopiError_t WrongExp(const char* function, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return Elementwise(function, out, input, [](auto x) { return WrongExpm1(x); });
}

}  // namespace

extern "C" diopiError_t diopiSin(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input) {
  return sin_naive_reduction ? WrongSin(__func__, out, input) : good_diopiSin(ctx, out, input);
}

extern "C" diopiError_t diopiSinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  return sin_naive_reduction ? WrongSin(__func__, input, input) : good_diopiSinInp(ctx, input);
}

extern "C" diopiError_t diopiCos(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input) {
  const bool wrong = cos_is_shifted_sine || cos_naive_reduction;
  return wrong ? WrongCos(__func__, out, input) : good_diopiCos(ctx, out, input);
}

extern "C" diopiError_t diopiCosInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  const bool wrong = cos_is_shifted_sine || cos_naive_reduction;
  return wrong ? WrongCos(__func__, input, input) : good_diopiCosInp(ctx, input);
}

extern "C" diopiError_t diopiExpm1(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                   diopiConstTensorHandle_t input) {
  const bool wrong = expm1_is_exp_minus_1 || expm1_short_series;
  return wrong ? WrongExp(__func__, out, input) : good_diopiExpm1(ctx, out, input);
}

extern "C" diopiError_t diopiExpm1Inp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  const bool wrong = expm1_is_exp_minus_1 || expm1_short_series;
  return wrong ? WrongExp(__func__, input, input) : good_diopiExpm1Inp(ctx, input);
}
