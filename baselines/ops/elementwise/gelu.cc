// gelu in both forms.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::both {
namespace {

struct Gelu {
  bool use_tanh;
  template <typename C>
  DIOPI_HD C operator()(const C& x) const {
    return use_tanh ? GeluTanh(x) : GeluErf(x);
  }
};
struct GeluGrad {
  bool use_tanh;
  template <typename C>
  DIOPI_HD C operator()(const C& grad, const C& x) const {
    return use_tanh ? GeluTanhGrad(grad, x) : GeluErfGrad(grad, x);
  }
};

}  // namespace

DIOPI_KERNEL(diopiGelu, a) {
  const Tensor out(a.out), x(a.input);
  const Gelu formula{IsTanhGelu(a.approximate)};
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() { MapTo<C>(Queue(a.ctx), out, formula, x); });
}

DIOPI_KERNEL(diopiGeluBackward, a) {
  if (a.grad_input == nullptr) return;
  FloatBinary(a.ctx, a.grad_input, a.grad_output, a.input, GeluGrad{IsTanhGelu(a.approximate)});
}

}  // namespace diopi::ops::both
