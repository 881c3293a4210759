// Transposed 2-d convolution: its forward is the gradient of a convolution by its input, its gradient by the
// input that convolution itself.
#include "baselines/ops/convolution/convolution_cuda.h"

using namespace diopi::ops;

diopiError_t diopiConvTranspose2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                  diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                  diopiConstTensorHandle_t bias, diopiSize_t stride, diopiSize_t padding,
                                  diopiSize_t output_padding, int64_t groups, diopiSize_t dilation) {
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), w(weight), b(bias);
    const Conv2d c = PlanTransposed(x, w, stride, padding, output_padding, dilation, groups);
    CheckShape(result, c.in_shape(), "out");
    if (b) CheckShape(b, {c.channels}, "bias");
    cuda::ConvolutionGradInput(cuda::Queue(ctx), c, result, x, w, b);
  });
}

diopiError_t diopiConvTranspose2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                          diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                          diopiConstTensorHandle_t grad_output,
                                          diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                          diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
                                          diopiSize_t dilation, diopiSize_t output_padding, int64_t groups) {
  return Guard(__func__, [&] {
    const Tensor dx(grad_input), dw(grad_weight), db(grad_bias), grad(grad_output), x(input), w(weight);
    const Conv2d c = PlanTransposed(x, w, stride, padding, output_padding, dilation, groups);
    CheckShape(grad, c.in_shape(), "grad_output");
    CheckGradients(dx, dw, db, x, w, bias_sizes, c.channels);
    const cuda::Queue queue(ctx);
    if (dx) cuda::ConvolutionForward(queue, c, dx, grad, w, Tensor());
    if (dw) cuda::ConvolutionGradWeight(queue, c, dw, x, grad);
    if (db) cuda::ConvolutionGradBias(queue, db, grad);
  });
}
