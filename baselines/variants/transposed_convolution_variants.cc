// The gradients of a transposed convolution by matrices of windows.
#include "baselines/planted/planted.h"
#include "baselines/variants/orders.h"
#include "baselines/variants/padded.h"

namespace diopi::variants {
namespace {

PLANT(conv_transpose2d_im2col, 0, "diopiConvTranspose2dBackward", "",
      "products with matrices of windows whose padding is zero: PyTorch on the CPU");

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiConvTranspose2dBackward);
extern "C" diopiError_t diopiConvTranspose2dBackward(
    diopiContextHandle_t ctx, diopiTensorHandle_t grad_input, diopiTensorHandle_t grad_weight,
    diopiTensorHandle_t grad_bias, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
    diopiConstTensorHandle_t weight, diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
    diopiSize_t dilation, diopiSize_t output_padding, int64_t groups) {
  const Tensor dx(grad_input), dw(grad_weight), grad(grad_output), x(input), w(weight);
  const diopiError_t error =
      good_diopiConvTranspose2dBackward(ctx, grad_input, grad_weight, grad_bias, grad_output, input, weight,
                                        bias_sizes, stride, padding, dilation, output_padding, groups);
  if (!conv_transpose2d_im2col || error != diopiSuccess) return error;
  return Guard(__func__, [&] {
    const Conv2d c = PlanTransposed(x, w, stride, padding, output_padding, dilation, groups);
    DispatchReal(x.dtype(), [&]<typename C>() {
      const std::vector<C> g = Load<C>(grad);
      if (dx) Store(dx, PaddedForward(c, g, Load<C>(w)));
      if (dw) Store(dw, PaddedGradWeight(c, Load<C>(x), g));
    });
  });
}
