// gelu in both forms.
#include "baselines/ops/elementwise/arithmetic_cuda.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::cuda {
namespace {

struct Gelu {
  bool use_tanh;
  template <typename C>
  DIOPI_HD C operator()(C x) const {
    return use_tanh ? GeluTanh(x) : GeluErf(x);
  }
};
struct GeluGrad {
  bool use_tanh;
  template <typename C>
  DIOPI_HD C operator()(C grad, C x) const {
    return use_tanh ? GeluTanhGrad(grad, x) : GeluErfGrad(grad, x);
  }
};

void Forward(diopiContextHandle_t ctx, const Tensor& out, const Tensor& x, bool use_tanh) {
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() { MapTo<C>(Queue(ctx), out, Gelu{use_tanh}, x); });
}
void Backward(diopiContextHandle_t ctx, const Tensor& grad_input, const Tensor& grad, const Tensor& x,
              bool use_tanh) {
  DispatchFloating(ResultType(grad_input, {grad, x}),
                   [&]<typename C>() { MapTo<C>(Queue(ctx), grad_input, GeluGrad{use_tanh}, grad, x); });
}

}  // namespace
}  // namespace diopi::ops::cuda

using namespace diopi::ops;  // NOLINT: this file is nothing else

diopiError_t diopiGelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                       const char* approximate) {
  return Guard(__func__, [&] { cuda::Forward(ctx, out, input, IsTanhGelu(approximate)); });
}

diopiError_t diopiGeluBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                               diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                               const char* approximate) {
  if (grad_input == nullptr) return diopiSuccess;
  return Guard(__func__,
               [&] { cuda::Backward(ctx, grad_input, grad_output, input, IsTanhGelu(approximate)); });
}
