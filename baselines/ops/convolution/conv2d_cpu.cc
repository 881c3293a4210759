// 2-d convolution with groups, and its gradients.
#include "baselines/ops/convolution/convolution_common.h"

DIOPI_KERNEL(diopiConvolution2d, a) {
  using namespace diopi::ops;
  const Tensor result(a.out), x(a.input), w(a.weight), b(a.bias);
  const Conv2d c = PlanConvolution(x, w, a.stride, a.padding, a.dilation, a.groups);
  CheckShape(result, c.out_shape(), "out");
  if (b) CheckShape(b, {c.filters}, "bias");
  DispatchFloating(ResultType(result, {x, w}), [&]<typename C>() {
    Store(result, Forward(c, Load<C>(x), Load<C>(w), b ? Load<C>(b) : std::vector<C>()));
  });
}

// bias_sizes repeats what weight says, so a null one changes nothing.
DIOPI_KERNEL(diopiConvolution2dBackward, a) {
  using namespace diopi::ops;
  const Tensor dx(a.grad_input), dw(a.grad_weight), db(a.grad_bias), grad(a.grad_output), x(a.input),
      w(a.weight);
  const Conv2d c = PlanConvolution(x, w, a.stride, a.padding, a.dilation, a.groups);
  CheckShape(grad, c.out_shape(), "grad_output");
  CheckGradients(dx, dw, db, x, w, a.bias_sizes, c.filters);
  DispatchFloating(ResultType(grad, {grad, x, w}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    if (dx) Store(dx, GradInput(c, g, Load<C>(w)));
    if (dw) Store(dw, GradWeight(c, g, Load<C>(x)));
    if (db) Store(db, GradBias(g, c.filters, c.windows()));
  });
}
