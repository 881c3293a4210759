// The gradients of a transposed convolution by matrices of windows.
#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"
#include "baselines/variants/padded.h"

namespace diopi::variants {
namespace {

VARIANT(conv_transpose2d_im2col, "diopiConvTranspose2dBackward", "",
        "products with matrices of windows whose padding is zero: PyTorch on the CPU");

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiConvTranspose2dBackward, a) {
  const Tensor dx(a.grad_input), dw(a.grad_weight), grad(a.grad_output), x(a.input), w(a.weight);
  Good(a);
  if (!conv_transpose2d_im2col) return;
  const ConvShape c = PlanTransposed(x, w, a.stride, a.padding, a.output_padding, a.dilation, a.groups);
  DispatchReal(x.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    if (dx) Store(dx, PaddedForward(c, g, Load<C>(w)));
    if (dw) Store(dw, PaddedGradWeight(c, Load<C>(x), g));
  });
}
