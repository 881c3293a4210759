// gelu in both forms.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

using namespace diopi::ops;  // NOLINT: this file is nothing else

DIOPI_KERNEL(diopiGelu, a) {
  const Tensor result(a.out), x(a.input);
  const bool use_tanh = IsTanhGelu(a.approximate);
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    MapTo<C>(result, x, [&](const C& e) { return use_tanh ? GeluTanh(e) : GeluErf(e); });
  });
}

DIOPI_KERNEL(diopiGeluBackward, a) {
  if (a.grad_input == nullptr) return;
  const Tensor result(a.grad_input), grad(a.grad_output), x(a.input);
  const bool use_tanh = IsTanhGelu(a.approximate);
  DispatchFloating(ResultType(result, {grad, x}), [&]<typename C>() {
    MapTo<C>(result, grad, x,
             [&](const C& g, const C& e) { return use_tanh ? GeluTanhGrad(g, e) : GeluErfGrad(g, e); });
  });
}
