// Transposed 2-d and 3-d convolution: its forward is the gradient of a convolution by its input, its gradient
// by the input that convolution itself.
#include "baselines/ops/convolution/convolution.h"

namespace diopi::ops::both {
namespace {

template <typename Args>
void Transposed(const Args& a, int dims) {
  const Tensor result(a.out), x(a.input), w(a.weight), b(a.bias);
  const ConvShape c = PlanTransposed(x, w, a.stride, a.padding, a.output_padding, a.dilation, a.groups, dims);
  CheckShape(result, c.in_shape(), "out");
  if (b) CheckShape(b, {c.channels}, "bias");
  ConvolutionGradInput(Queue(a.ctx), c, result, x, w, b);
}

// bias_sizes repeats what weight and groups say, so a null one changes nothing.
template <typename Args>
void TransposedBackward(const Args& a, int dims) {
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const ConvShape c = PlanTransposed(x, w, a.stride, a.padding, a.output_padding, a.dilation, a.groups, dims);
  CheckShape(grad, c.in_shape(), "grad_output");
  CheckGradients(dx, dw, db, x, w, a.bias_sizes, c.channels);
  const Queue queue(a.ctx);
  if (dx) ConvolutionForward(queue, c, dx, grad, w, Tensor());
  if (dw) ConvolutionGradWeight(queue, c, dw, x, grad);
  if (db) ConvolutionGradBias(queue, db, grad);
}

}  // namespace
}  // namespace diopi::ops::both

DIOPI_KERNEL(diopiConvTranspose2d, a) {
  diopi::ops::both::Transposed(a, 2);
}
DIOPI_KERNEL(diopiConvTranspose2dBackward, a) {
  diopi::ops::both::TransposedBackward(a, 2);
}
DIOPI_KERNEL(diopiConvTranspose3d, a) {
  diopi::ops::both::Transposed(a, 3);
}
DIOPI_KERNEL(diopiConvTranspose3dBackward, a) {
  diopi::ops::both::TransposedBackward(a, 3);
}
