// The functions of one operand that are one line each, with their in-place forms.
#include <cmath>

#include "baselines/ops/elementwise/formulas.h"
#include "baselines/ops/support/cuda/map.h"

using diopi::ops::cuda::FloatBinary;
using diopi::ops::cuda::FloatUnary;
using diopi::ops::cuda::NumericUnary;

// KIND is FloatUnary (the result is a floating number) or NumericUnary (it keeps the input's type).
#define DIOPI_UNARY(NAME, KIND, ...)           \
  namespace {                                  \
  struct NAME##Of {                            \
    template <typename C>                      \
    DIOPI_HD C operator()(const C& x) const {  \
      using namespace std;                     \
      return __VA_ARGS__;                      \
    }                                          \
  };                                           \
  }                                            \
  DIOPI_KERNEL(diopi##NAME, a) {               \
    KIND(a.ctx, a.out, a.input, NAME##Of());   \
  }                                            \
  DIOPI_KERNEL(diopi##NAME##Inp, a) {          \
    KIND(a.ctx, a.input, a.input, NAME##Of()); \
  }

// clang-format off
DIOPI_UNARY(Abs, NumericUnary, diopi::ops::Abs(x))
DIOPI_UNARY(Cos, FloatUnary, cos(x))
DIOPI_UNARY(Exp, FloatUnary, exp(x))
DIOPI_UNARY(Expm1, FloatUnary, expm1(x))
DIOPI_UNARY(Neg, NumericUnary, diopi::ops::WrapNeg(x))
DIOPI_UNARY(Relu, NumericUnary, diopi::ops::Relu(x))
DIOPI_UNARY(Sigmoid, FloatUnary, diopi::ops::Sigmoid(x))
DIOPI_UNARY(Sin, FloatUnary, sin(x))
DIOPI_UNARY(Sqrt, FloatUnary, sqrt(x))
DIOPI_UNARY(Tanh, FloatUnary, tanh(x))
// clang-format on

namespace {

struct SigmoidGradOf {
  template <typename C>
  DIOPI_HD C operator()(const C& g, const C& y) const {
    return diopi::ops::SigmoidGrad(g, y);
  }
};
struct TanhGradOf {
  template <typename C>
  DIOPI_HD C operator()(const C& g, const C& y) const {
    return diopi::ops::TanhGrad(g, y);
  }
};

}  // namespace

DIOPI_KERNEL(diopiSigmoidBackward, a) {
  FloatBinary(a.ctx, a.grad_input, a.grad_output, a.output, SigmoidGradOf());
}
DIOPI_KERNEL(diopiTanhBackward, a) {
  FloatBinary(a.ctx, a.grad_input, a.grad_output, a.output, TanhGradOf());
}
