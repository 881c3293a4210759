// gelu in both forms, as the reference library writes them:
//   erf:  x/2 (1 + erf(x/sqrt 2))
//   tanh: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
#include <cmath>
#include <string_view>

#include "baselines/ops/support/map.h"

namespace diopi::ops {
namespace {

constexpr long double kSqrtHalf = 0.707106781186547524400844362104849039L;
constexpr long double kSqrtTwoOverPi = 0.797884560802865355879892119868763737L;
constexpr long double kInvSqrtTwoPi = 0.398942280401432677939946059934381868L;
constexpr long double kCubic = static_cast<long double>(0.044715);  // a double there too

bool IsTanh(const char* approximate) {
  const std::string_view form = approximate == nullptr ? "none" : approximate;
  Check(form == "none" || form == "tanh", "approximate must be 'none' or 'tanh', got '", form, "'");
  return form == "tanh";
}

template <typename C>
C Inner(const C& x) {
  return Rounded<C>(kSqrtTwoOverPi) * (x + Rounded<C>(kCubic) * (x * x * x));
}

template <typename C>
C GeluTanh(const C& x) {
  using std::tanh;
  return C(0.5) * x * (C(1) + tanh(Inner(x)));
}

template <typename C>
C GeluErf(const C& x) {
  using std::erf;
  return x * C(0.5) * (C(1) + erf(x * Rounded<C>(kSqrtHalf)));
}

template <typename C>
C GradTanh(const C& grad, const C& x) {
  using std::tanh;
  const C t = tanh(Inner(x));
  const C left = C(0.5) * x, right = C(1) + t;
  const C inner_derivative = Rounded<C>(kSqrtTwoOverPi) * (C(1) + C(3) * Rounded<C>(kCubic) * (x * x));
  return grad * (C(0.5) * right + left * (C(1) - t * t) * inner_derivative);
}

template <typename C>
C GradErf(const C& grad, const C& x) {
  using std::erf;
  using std::exp;
  const C cdf = C(0.5) * (C(1) + erf(x * Rounded<C>(kSqrtHalf)));
  const C pdf = exp(C(-0.5) * x * x) * Rounded<C>(kInvSqrtTwoPi);
  return grad * (cdf + x * pdf);
}

}  // namespace
}  // namespace diopi::ops

using namespace diopi::ops;  // NOLINT: this file is nothing else

diopiError_t diopiGelu(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       const char* approximate) {
  return Guard(__func__, [&] {
    const Tensor result(out), x(input);
    const bool use_tanh = IsTanh(approximate);
    DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
      MapTo<C>(result, x, [&](const C& e) { return use_tanh ? GeluTanh(e) : GeluErf(e); });
    });
  });
}

diopiError_t diopiGeluBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                               const char* approximate) {
  if (grad_input == nullptr) return diopiSuccess;
  return Guard(__func__, [&] {
    const Tensor result(grad_input), grad(grad_output), x(input);
    const bool use_tanh = IsTanh(approximate);
    DispatchFloating(ResultType(result, {grad, x}), [&]<typename C>() {
      MapTo<C>(result, grad, x,
               [&](const C& g, const C& e) { return use_tanh ? GradTanh(g, e) : GradErf(g, e); });
    });
  });
}
