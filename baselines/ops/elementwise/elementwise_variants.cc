// Element-wise mathematics by other identities and in wider numbers.
#include <string_view>

#include "baselines/injected/injected.h"
#include "baselines/ops/both.h"
#include "baselines/variants/orders.h"
#include "baselines/variants/results.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kExpNames[] = "diopiExp diopiExpInp";
VARIANT(exp_by_exp2, kExpNames, "", "exp2 of x * log2 e, whose low part becomes a factor");
VARIANT(exp_double, kExpNames, "", "in the next wider type");
VARIANT(exp_flushes_subnormals, kExpNames, "", "float32 and bfloat16 results below 2^-126 become zeros");
constexpr char kSigmoidNames[] = "diopiSigmoid diopiSigmoidInp";
VARIANT(sigmoid_two_branches, kSigmoidNames, "", "exp(x) / (1 + exp(x)) below 0");
VARIANT(sigmoid_double, kSigmoidNames, "", "in the next wider type");
VARIANT(sigmoid_exp2, kSigmoidNames, "", "1 / (1 + exp2(-x * log2 e)), the product in two parts");
constexpr char kTanhNames[] = "diopiTanh diopiTanhInp";
VARIANT(tanh_by_expm1, kTanhNames, "", "expm1(2x) / (expm1(2x) + 2)");
VARIANT(tanh_double, kTanhNames, "", "in the next wider type");
VARIANT(sqrt_double, "diopiSqrt diopiSqrtInp", "", "in the next wider type");
VARIANT(gelu_by_erfc, "diopiGelu diopiGeluBackward", "", "erfc(-x / sqrt 2) / 2 for the normal distribution");
VARIANT(gelu_double, "diopiGelu diopiGeluBackward", "", "in the next wider type");
VARIANT(gelu_tanh_as_sigmoid, "diopiGelu", "", "approximate 'tanh': x * sigmoid(2 * inner)");
VARIANT(gelu_tanh_horner, "diopiGelu diopiGeluBackward", "",
        "approximate 'tanh': inner by Horner's rule with fma");
VARIANT(sigmoid_backward_fma, "diopiSigmoidBackward diopiTanhBackward", "", "g * fma(-y, y, y or 1)");

constexpr long double kLog2E = 1.44269504088896340736L;
constexpr long double kLn2 = 0.693147180559945309417L;

template <typename C>
C ExpByExp2(const C& x) {
  constexpr C kHigh = static_cast<C>(kLog2E);
  constexpr C kLow = static_cast<C>(kLog2E - static_cast<long double>(kHigh));
  const C high = x * kHigh;
  if (!std::isfinite(high)) return std::exp2(high);
  const C low = std::fma(x, kHigh, -high) + x * kLow;
  const C power = std::exp2(high);
  return std::isfinite(power) ? std::fma(power, low * static_cast<C>(kLn2), power) : power;
}

template <typename C>
C Sigmoid(const C& x) {
  using W = Wide<C>;
  if (sigmoid_double) return static_cast<C>(W(1) / (W(1) + std::exp(-static_cast<W>(x))));
  if (sigmoid_exp2) return C(1) / (C(1) + ExpByExp2(-x));
  if (x >= C(0) || x != x) return C(1) / (C(1) + std::exp(-x));
  const C e = std::exp(x);
  return e / (C(1) + e);
}

template <typename C>
C Tanh(const C& x) {
  if (tanh_double) return static_cast<C>(std::tanh(static_cast<Wide<C>>(x)));
  if (std::fabs(x) > C(20)) return std::copysign(C(1), x);
  if (x == C(0) || x != x) return x;
  const C e = std::expm1(C(2) * std::fabs(x));
  return std::copysign(e / (e + C(2)), x);
}

constexpr long double kSqrtHalf = 0.707106781186547524400844362104849039L;
constexpr long double kSqrtTwoOverPi = 0.797884560802865355879892119868763737L;
constexpr long double kInvSqrtTwoPi = 0.398942280401432677939946059934381868L;
constexpr long double kCubic = static_cast<long double>(0.044715);

// The normal distribution and its density.
template <typename C>
C Cdf(const C& x) {
  return C(0.5) * std::erfc(-x * static_cast<C>(kSqrtHalf));
}

// 0 where x * x is beyond the type too.
template <typename C>
C Pdf(const C& x) {
  return std::exp(C(-0.5) * x * x) * static_cast<C>(kInvSqrtTwoPi);
}

template <typename C>
C Inner(const C& x) {
  if (gelu_tanh_horner) {
    const C slope = std::fma(static_cast<C>(kSqrtTwoOverPi * kCubic), x * x, static_cast<C>(kSqrtTwoOverPi));
    return x * slope;
  }
  return static_cast<C>(kSqrtTwoOverPi) * (x + static_cast<C>(kCubic) * (x * x * x));
}

template <typename C>
C GeluTanh(const C& x) {
  if (gelu_tanh_as_sigmoid) return x / (C(1) + std::exp(C(-2) * Inner(x)));
  return C(0.5) * x * (C(1) + std::tanh(Inner(x)));
}

template <typename C>
C GradTanh(const C& x) {
  const C t = std::tanh(Inner(x));
  const C slope = static_cast<C>(kSqrtTwoOverPi) * (C(1) + C(3) * static_cast<C>(kCubic) * (x * x));
  return C(0.5) * (C(1) + t) + C(0.5) * x * (C(1) - t * t) * slope;
}

enum class Gelu { kErf, kTanh };

// The form that a switch serves; neither where none is on for it.
bool GeluChosen(const char* approximate, bool backward) {
  const bool is_tanh = approximate != nullptr && std::string_view(approximate) == "tanh";
  if (gelu_double) return true;
  if (is_tanh) return gelu_tanh_horner || (gelu_tanh_as_sigmoid && !backward);
  return static_cast<bool>(gelu_by_erfc);
}

Gelu FormOf(const char* approximate) {
  return approximate != nullptr && std::string_view(approximate) == "tanh" ? Gelu::kTanh : Gelu::kErf;
}

template <typename C>
C GeluOf(Gelu form, const C& x) {
  return form == Gelu::kTanh ? GeluTanh(x) : x * Cdf(x);
}

template <typename C>
C GeluSlope(Gelu form, const C& x) {
  return form == Gelu::kTanh ? GradTanh(x) : Cdf(x) + x * Pdf(x);
}

// out = f(input) where f takes a C; integers become floating numbers.
template <typename F>
void RealUnary(diopiTensorHandle_t out, diopiConstTensorHandle_t input, F&& f) {
  const Tensor result(out), x(input);
  CheckStorable(FloatResultType(result, {x}), result);
  DispatchReal(FloatResultType(result, {x}),
               [&]<typename C>() { both::MapTo<C>(both::Queue(), result, f, x); });
}

template <typename F>
void RealBinary(diopiTensorHandle_t out, diopiConstTensorHandle_t a, diopiConstTensorHandle_t b, F&& f) {
  const Tensor result(out), x(a), y(b);
  DispatchReal(ResultType(result, {x, y}),
               [&]<typename C>() { both::MapTo<C>(both::Queue(), result, f, x, y); });
}

constexpr auto kExp = []<typename C>(const C& x) {
  return exp_by_exp2 ? ExpByExp2(x) : static_cast<C>(std::exp(static_cast<Wide<C>>(x)));
};
constexpr auto kSigmoid = []<typename C>(const C& x) { return Sigmoid(x); };
constexpr auto kTanh = []<typename C>(const C& x) { return Tanh(x); };
constexpr auto kSqrt = []<typename C>(const C& x) {
  return static_cast<C>(std::sqrt(static_cast<Wide<C>>(x)));
};

void FinishExp(diopiTensorHandle_t out) {
  if (exp_flushes_subnormals) FlushSubnormals(Tensor(out));
}

bool ExpChosen() {
  return exp_by_exp2 || exp_double;
}
bool SigmoidChosen() {
  return sigmoid_two_branches || sigmoid_double || sigmoid_exp2;
}
bool TanhChosen() {
  return tanh_by_expm1 || tanh_double;
}
// Twice rounded is not correctly rounded where the wider type has less than twice the bits.
bool SqrtChosen(diopiConstTensorHandle_t input) {
  return sqrt_double && Tensor(input).dtype() != diopi_dtype_float64;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiExp, a) {
  if (ExpChosen()) return RealUnary(a.out, a.input, kExp);
  Good(a);
  FinishExp(a.out);
}

DIOPI_OVERRIDE(diopiExpInp, a) {
  if (ExpChosen()) return RealUnary(a.input, a.input, kExp);
  Good(a);
  FinishExp(a.input);
}

DIOPI_OVERRIDE(diopiSigmoid, a) {
  if (SigmoidChosen()) return RealUnary(a.out, a.input, kSigmoid);
  Good(a);
}

DIOPI_OVERRIDE(diopiSigmoidInp, a) {
  if (SigmoidChosen()) return RealUnary(a.input, a.input, kSigmoid);
  Good(a);
}

DIOPI_OVERRIDE(diopiTanh, a) {
  if (TanhChosen()) return RealUnary(a.out, a.input, kTanh);
  Good(a);
}

DIOPI_OVERRIDE(diopiTanhInp, a) {
  if (TanhChosen()) return RealUnary(a.input, a.input, kTanh);
  Good(a);
}

DIOPI_OVERRIDE(diopiSqrt, a) {
  if (SqrtChosen(a.input)) return RealUnary(a.out, a.input, kSqrt);
  Good(a);
}

DIOPI_OVERRIDE(diopiSqrtInp, a) {
  if (SqrtChosen(a.input)) return RealUnary(a.input, a.input, kSqrt);
  Good(a);
}

DIOPI_OVERRIDE(diopiGelu, a) {
  if (!GeluChosen(a.approximate, false)) return Good(a);
  const Gelu form = FormOf(a.approximate);
  return RealUnary(a.out, a.input, [&]<typename C>(const C& x) {
    return gelu_double ? static_cast<C>(GeluOf(form, static_cast<Wide<C>>(x))) : GeluOf(form, x);
  });
}

DIOPI_OVERRIDE(diopiGeluBackward, a) {
  if (a.grad_input == nullptr || !GeluChosen(a.approximate, true)) return Good(a);
  const Gelu form = FormOf(a.approximate);
  return RealBinary(a.grad_input, a.grad_output, a.input, [&]<typename C>(const C& g, const C& x) {
    using W = Wide<C>;
    return gelu_double ? static_cast<C>(static_cast<W>(g) * GeluSlope(form, static_cast<W>(x)))
                       : g * GeluSlope(form, x);
  });
}

DIOPI_OVERRIDE(diopiSigmoidBackward, a) {
  if (!sigmoid_backward_fma) return Good(a);
  return RealBinary(a.grad_input, a.grad_output, a.output,
                    []<typename C>(const C& g, const C& y) { return g * std::fma(-y, y, y); });
}

DIOPI_OVERRIDE(diopiTanhBackward, a) {
  if (!sigmoid_backward_fma) return Good(a);
  return RealBinary(a.grad_input, a.grad_output, a.output,
                    []<typename C>(const C& g, const C& y) { return g * std::fma(-y, y, C(1)); });
}
