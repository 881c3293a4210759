// Transposed 2-d convolution: its forward is the gradient of a convolution by its input, its gradient by the
// input that convolution itself.
#include "baselines/ops/convolution/convolution_common.h"

extern "C" diopiError_t diopiConvTranspose2d(diopiContextHandle_t, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                             diopiConstTensorHandle_t bias, diopiSize_t stride,
                                             diopiSize_t padding, diopiSize_t output_padding, int64_t groups,
                                             diopiSize_t dilation) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), w(weight), b(bias);
    const Conv2d c = PlanTransposed(x, w, stride, padding, output_padding, dilation, groups);
    CheckShape(result, c.in_shape(), "out");
    if (b) CheckShape(b, {c.channels}, "bias");
    DispatchFloating(ResultType(result, {x, w}), [&]<typename C>() {
      std::vector<C> y = GradInput(c, Load<C>(x), Load<C>(w));
      const std::vector<C> shift = b ? Load<C>(b) : std::vector<C>();
      for (int64_t i = 0; i < static_cast<int64_t>(y.size()) && !shift.empty(); ++i) {
        y[i] += shift[i / (c.height * c.width) % c.channels];
      }
      Store(result, y);
    });
  });
}

// bias_sizes repeats what weight and groups say, so a null one changes nothing.
extern "C" diopiError_t diopiConvTranspose2dBackward(
    diopiContextHandle_t, diopiTensorHandle_t grad_input, diopiTensorHandle_t grad_weight,
    diopiTensorHandle_t grad_bias, diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
    diopiConstTensorHandle_t weight, diopiSize_t* bias_sizes, diopiSize_t stride, diopiSize_t padding,
    diopiSize_t dilation, diopiSize_t output_padding, int64_t groups) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor dx(grad_input), dw(grad_weight), db(grad_bias), grad(grad_output), x(input), w(weight);
    const Conv2d c = PlanTransposed(x, w, stride, padding, output_padding, dilation, groups);
    CheckShape(grad, c.in_shape(), "grad_output");
    CheckGradients(dx, dw, db, x, w, bias_sizes, c.channels);
    DispatchFloating(ResultType(grad, {grad, x, w}), [&]<typename C>() {
      const std::vector<C> g = Load<C>(grad);
      if (dx) Store(dx, Forward(c, g, Load<C>(w), std::vector<C>()));
      if (dw) Store(dw, GradWeight(c, Load<C>(x), g));
      if (db) Store(db, GradBias(g, c.channels, c.height * c.width));
    });
  });
}
