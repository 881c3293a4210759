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
#define DIOPI_UNARY(NAME, KIND, ...)                            \
  DIOPI_KERNEL(diopi##NAME, a) {                                \
    KIND(a.out, a.input, [](const auto& x) { __VA_ARGS__; });   \
  }                                                             \
  DIOPI_KERNEL(diopi##NAME##Inp, a) {                           \
    KIND(a.input, a.input, [](const auto& x) { __VA_ARGS__; }); \
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

DIOPI_KERNEL(diopiSigmoidBackward, a) {
  diopi::ops::FloatBinary(a.grad_input, a.grad_output, a.output,
                          [](const auto& g, const auto& y) { return SigmoidGrad(g, y); });
}

DIOPI_KERNEL(diopiTanhBackward, a) {
  diopi::ops::FloatBinary(a.grad_input, a.grad_output, a.output,
                          [](const auto& g, const auto& y) { return TanhGrad(g, y); });
}
