// Transposed 2-d and 3-d convolution: its forward is the gradient of a convolution by its input, its gradient
// by the input that convolution itself.
#include "baselines/ops/convolution/convolution_common.h"

namespace diopi::ops {
namespace {

template <typename Args>
void Transposed(const Args& a, int dims) {
  const Tensor result(a.out), x(a.input), w(a.weight), b(a.bias);
  const ConvShape c = PlanTransposed(x, w, a.stride, a.padding, a.output_padding, a.dilation, a.groups, dims);
  CheckShape(result, c.in_shape(), "out");
  if (b) CheckShape(b, {c.channels}, "bias");
  DispatchFloating(ResultType(result, {x, w}), [&]<typename C>() {
    std::vector<C> y = GradInput(c, Load<C>(x), Load<C>(w));
    const std::vector<C> shift = b ? Load<C>(b) : std::vector<C>();
    for (int64_t i = 0; i < static_cast<int64_t>(y.size()) && !shift.empty(); ++i) {
      y[i] += shift[i / c.elements() % c.channels];
    }
    Store(result, y);
  });
}

// bias_sizes repeats what weight and groups say, so a null one changes nothing.
template <typename Args>
void TransposedBackward(const Args& a, int dims) {
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const ConvShape c = PlanTransposed(x, w, a.stride, a.padding, a.output_padding, a.dilation, a.groups, dims);
  CheckShape(grad, c.in_shape(), "grad_output");
  CheckGradients(dx, dw, db, x, w, a.bias_sizes, c.channels);
  DispatchFloating(ResultType(grad, {grad, x, w}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    if (dx) Store(dx, Forward(c, g, Load<C>(w), std::vector<C>()));
    if (dw) Store(dw, GradWeight(c, Load<C>(x), g));
    if (db) Store(db, GradBias(g, c.channels, c.elements()));
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiConvTranspose2d, a) {
  diopi::ops::Transposed(a, 2);
}
DIOPI_KERNEL(diopiConvTranspose2dBackward, a) {
  diopi::ops::TransposedBackward(a, 2);
}
DIOPI_KERNEL(diopiConvTranspose3d, a) {
  diopi::ops::Transposed(a, 3);
}
DIOPI_KERNEL(diopiConvTranspose3dBackward, a) {
  diopi::ops::TransposedBackward(a, 3);
}
