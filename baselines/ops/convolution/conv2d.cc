// 2-d and 3-d convolution with groups, and its gradients.
#include "baselines/ops/convolution/convolution.h"

namespace diopi::ops::both {
namespace {

template <typename Args>
void Convolution(const Args& a, int dims) {
  const Tensor result(a.out), x(a.input), w(a.weight), b(a.bias);
  const ConvShape c = PlanConvolution(x, w, a.stride, a.padding, a.dilation, a.groups, dims);
  CheckShape(result, c.out_shape(), "out");
  if (b) CheckShape(b, {c.filters}, "bias");
  ConvolutionForward(Queue(a.ctx), c, result, x, w, b);
}

// bias_sizes repeats what weight says, so a null one changes nothing.
template <typename Args>
void ConvolutionBackward(const Args& a, int dims) {
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const ConvShape c = PlanConvolution(x, w, a.stride, a.padding, a.dilation, a.groups, dims);
  CheckShape(grad, c.out_shape(), "grad_output");
  CheckGradients(dx, dw, db, x, w, a.bias_sizes, c.filters);
  const Queue queue(a.ctx);
  if (dx) ConvolutionGradInput(queue, c, dx, grad, w, Tensor());
  if (dw) ConvolutionGradWeight(queue, c, dw, grad, x);
  if (db) ConvolutionGradBias(queue, db, grad);
}

}  // namespace
}  // namespace diopi::ops::both

DIOPI_KERNEL(diopiConvolution2d, a) {
  diopi::ops::both::Convolution(a, 2);
}
DIOPI_KERNEL(diopiConvolution2dBackward, a) {
  diopi::ops::both::ConvolutionBackward(a, 2);
}
DIOPI_KERNEL(diopiConvolution3d, a) {
  diopi::ops::both::Convolution(a, 3);
}
DIOPI_KERNEL(diopiConvolution3dBackward, a) {
  diopi::ops::both::ConvolutionBackward(a, 3);
}
