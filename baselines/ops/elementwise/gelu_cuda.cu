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

DIOPI_KERNEL(diopiGelu, a) {
  cuda::Forward(a.ctx, a.out, a.input, IsTanhGelu(a.approximate));
}

DIOPI_KERNEL(diopiGeluBackward, a) {
  if (a.grad_input == nullptr) return;
  cuda::Backward(a.ctx, a.grad_input, a.grad_output, a.input, IsTanhGelu(a.approximate));
}
