// 2-d convolution with groups, and its gradients.
#include "baselines/ops/convolution/convolution_common.h"

extern "C" diopiError_t diopiConvolution2d(diopiContextHandle_t, diopiTensorHandle_t out,
                                           diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                           diopiConstTensorHandle_t bias, diopiSize_t stride,
                                           diopiSize_t padding, diopiSize_t dilation, int64_t groups) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), w(weight), b(bias);
    const Conv2d c = PlanConvolution(x, w, stride, padding, dilation, groups);
    CheckShape(result, c.out_shape(), "out");
    if (b) CheckShape(b, {c.filters}, "bias");
    DispatchFloating(ResultType(result, {x, w}), [&]<typename C>() {
      Store(result, Forward(c, Load<C>(x), Load<C>(w), b ? Load<C>(b) : std::vector<C>()));
    });
  });
}

// bias_sizes repeats what weight says, so a null one changes nothing.
extern "C" diopiError_t diopiConvolution2dBackward(
    diopiContextHandle_t, diopiTensorHandle_t grad_input, diopiTensorHandle_t grad_weight,
    diopiTensorHandle_t grad_bias, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
    diopiConstTensorHandle_t weight, diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
    diopiSize_t dilation, int64_t groups) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor dx(grad_input), dw(grad_weight), db(grad_bias), grad(grad_output), x(input), w(weight);
    const Conv2d c = PlanConvolution(x, w, stride, padding, dilation, groups);
    CheckShape(grad, c.out_shape(), "grad_output");
    CheckGradients(dx, dw, db, x, w, bias_sizes, c.filters);
    DispatchFloating(ResultType(grad, {grad, x, w}), [&]<typename C>() {
      const std::vector<C> g = Load<C>(grad);
      if (dx) Store(dx, GradInput(c, g, Load<C>(w)));
      if (dw) Store(dw, GradWeight(c, g, Load<C>(x)));
      if (db) Store(db, GradBias(g, c.filters, c.windows()));
    });
  });
}
