// The functions of one operand that are one line each, with their in-place forms.
#include <cmath>

#include "baselines/ops/elementwise/formulas.h"
#include "baselines/ops/support/map.h"

using diopi::ops::Abs;
using diopi::ops::AsGiven;
using diopi::ops::FloatUnary;
using diopi::ops::NumericUnary;
using diopi::ops::Relu;
using diopi::ops::Sigmoid;
using diopi::ops::SigmoidGrad;
using diopi::ops::TanhGrad;
using diopi::ops::WrapNeg;

// KIND is FloatUnary (the result is a floating number) or NumericUnary (it keeps the input's type).
#define DIOPI_UNARY(NAME, KIND, ...)                                                                     \
  diopiError_t diopi##NAME(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t in) { \
    return KIND(__func__, out, in, [](const auto& x) { __VA_ARGS__; });                                  \
  }                                                                                                      \
  diopiError_t diopi##NAME##Inp(diopiContextHandle_t, diopiTensorHandle_t input) {                       \
    return KIND(__func__, input, input, [](const auto& x) { __VA_ARGS__; });                             \
  }

// clang-format off
DIOPI_UNARY(Abs, NumericUnary, return Abs(x))
DIOPI_UNARY(Cos, FloatUnary, using std::cos; return cos(AsGiven(x)))
DIOPI_UNARY(Exp, FloatUnary, using std::exp; return exp(x))
DIOPI_UNARY(Expm1, FloatUnary, using std::expm1; return expm1(x))
DIOPI_UNARY(Neg, NumericUnary, return WrapNeg(x))
DIOPI_UNARY(Relu, NumericUnary, return Relu(x))
DIOPI_UNARY(Sigmoid, FloatUnary, return Sigmoid(x))
DIOPI_UNARY(Sin, FloatUnary, using std::sin; return sin(AsGiven(x)))
DIOPI_UNARY(Sqrt, FloatUnary, using std::sqrt; return sqrt(x))
DIOPI_UNARY(Tanh, FloatUnary, using std::tanh; return tanh(x))
// clang-format on

diopiError_t diopiSigmoidBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                  diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output) {
  return diopi::ops::FloatBinary(__func__, grad_input, grad_output, output,
                                 [](const auto& g, const auto& y) { return SigmoidGrad(g, y); });
}

diopiError_t diopiTanhBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t output) {
  return diopi::ops::FloatBinary(__func__, grad_input, grad_output, output,
                                 [](const auto& g, const auto& y) { return TanhGrad(g, y); });
}
