// Functions of one operand, one line each: their two entry points, formula and injected bugs.
//
//   DIOPI_UNARY(Tan, FloatUnary, tan(AsGiven(x)))       diopiTan and diopiTanInp
//   DIOPI_UNARY_GRAD(Tanh, g * (C(1) - y * y))          diopiTanhBackward, of the forward's result y
//   DIOPI_UNARY_INPUT_GRAD(Silu, SiluGrad(g, x))        diopiSiluBackward, of the forward's input x
//
// FloatUnary: the result is a floating number; NumericUnary: it keeps the input's type, which is not bool;
// AnyUnary: it may be bool. The build finds such lines in every file here (unary.cc, or the operator's own
// <operator>.cc) if the macro begins the line; the PyTorch check is torch.<operator> where no file says
// otherwise. The injected bugs come from the same line: baselines/bugs/unary_bugs.h.
#ifndef BASELINES_OPS_ELEMENTWISE_UNARY_H_
#define BASELINES_OPS_ELEMENTWISE_UNARY_H_

#include <cmath>

#include "baselines/ops/both.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::both {

template <typename F>
void AnyUnary(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, const F& f) {
  DispatchAny(ResultType(out, {x}), [&]<typename C>() { MapTo<C>(Queue(ctx), out, f, x); });
}

}  // namespace diopi::ops::both

// The formula over the compute type, as a functor Name.
#define DIOPI_UNARY_FORMULA(Name, parameters, ...) \
  namespace {                                      \
  struct Name {                                    \
    template <typename C>                          \
    DIOPI_HD C operator() parameters const {       \
      using namespace std;                         \
      using namespace diopi::ops;                  \
      return __VA_ARGS__;                          \
    }                                              \
  };                                               \
  }

#if !defined(DIOPI_UNARY)

#define DIOPI_UNARY(Name, Kind, ...)                                              \
  DIOPI_UNARY_FORMULA(Name##Of, (const C& x), __VA_ARGS__)                        \
  template <typename Args>                                                        \
  static void Name##Unary(const Args& a) {                                        \
    ::diopi::ops::both::Kind(a.ctx, ::diopi::ops::OutOf(a), a.input, Name##Of()); \
  }                                                                               \
  DIOPI_FORMS(Name##Unary, diopi##Name, diopi##Name##Inp)

#define DIOPI_UNARY_GRAD(Name, ...)                                                                \
  DIOPI_UNARY_FORMULA(Name##GradOf, (const C& g, const C& y), __VA_ARGS__)                         \
  DIOPI_KERNEL(diopi##Name##Backward, a) {                                                         \
    ::diopi::ops::both::FloatBinary(a.ctx, a.grad_input, a.grad_output, a.output, Name##GradOf()); \
  }

#define DIOPI_UNARY_INPUT_GRAD(Name, ...)                                                         \
  DIOPI_UNARY_FORMULA(Name##GradOf, (const C& g, const C& x), __VA_ARGS__)                        \
  DIOPI_KERNEL(diopi##Name##Backward, a) {                                                        \
    ::diopi::ops::both::FloatBinary(a.ctx, a.grad_input, a.grad_output, a.input, Name##GradOf()); \
  }

#endif

#endif  // BASELINES_OPS_ELEMENTWISE_UNARY_H_
