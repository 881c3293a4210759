// gelu in both forms.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

using namespace diopi::ops;  // NOLINT: this file is nothing else

diopiError_t diopiGelu(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       const char* approximate) {
  return Guard(__func__, [&] {
    const Tensor result(out), x(input);
    const bool use_tanh = IsTanhGelu(approximate);
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
    const bool use_tanh = IsTanhGelu(approximate);
    DispatchFloating(ResultType(result, {grad, x}), [&]<typename C>() {
      MapTo<C>(result, grad, x,
               [&](const C& g, const C& e) { return use_tanh ? GeluTanhGrad(g, e) : GeluErfGrad(g, e); });
    });
  });
}
