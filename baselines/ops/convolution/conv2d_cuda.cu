// 2-d convolution with groups, and its gradients.
#include "baselines/ops/convolution/convolution_cuda.h"

using namespace diopi::ops;

diopiError_t diopiConvolution2d(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                diopiConstTensorHandle_t bias, diopiSize_t stride, diopiSize_t padding,
                                diopiSize_t dilation, int64_t groups) {
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), w(weight), b(bias);
    const Conv2d c = PlanConvolution(x, w, stride, padding, dilation, groups);
    CheckShape(result, c.out_shape(), "out");
    if (b) CheckShape(b, {c.filters}, "bias");
    cuda::ConvolutionForward(cuda::Queue(ctx), c, result, x, w, b);
  });
}

diopiError_t diopiConvolution2dBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                        diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                        diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                        diopiConstTensorHandle_t weight, diopiSize_t* bias_sizes,
                                        diopiSize_t stride, diopiSize_t padding, diopiSize_t dilation,
                                        int64_t groups) {
  return Guard(__func__, [&] {
    const Tensor dx(grad_input), dw(grad_weight), db(grad_bias), grad(grad_output), x(input), w(weight);
    const Conv2d c = PlanConvolution(x, w, stride, padding, dilation, groups);
    CheckShape(grad, c.out_shape(), "grad_output");
    CheckGradients(dx, dw, db, x, w, bias_sizes, c.filters);
    const cuda::Queue queue(ctx);
    if (dx) cuda::ConvolutionGradInput(queue, c, dx, grad, w, Tensor());
    if (dw) cuda::ConvolutionGradWeight(queue, c, dw, grad, x);
    if (db) cuda::ConvolutionGradBias(queue, db, grad);
  });
}
