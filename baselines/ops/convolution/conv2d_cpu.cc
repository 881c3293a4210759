// 2-d convolution with groups, and its gradients.
#include "baselines/ops/convolution/convolution_common.h"

namespace diopi::ops {
namespace {

int64_t OutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1;
  Check(room >= 0, "the kernel (", dilation * (kernel - 1) + 1, ") can't be greater than the padded input (",
        size + 2 * pad, ")");
  return room / stride + 1;
}

Conv2d Plan(const Tensor& x, const Tensor& w, const diopiSize_t& stride, const diopiSize_t& padding,
            const diopiSize_t& dilation, int64_t groups) {
  CheckRanks(x, w);
  Conv2d c;
  c.batch = x.size(0), c.channels = x.size(1), c.height = x.size(2), c.width = x.size(3);
  c.filters = w.size(0), c.kernel_h = w.size(2), c.kernel_w = w.size(3);
  c.groups = groups;
  Check(groups > 0 && c.filters % groups == 0, c.filters, " filters do not make ", groups, " groups");
  Check(c.channels == w.size(1) * groups, "given groups=", groups, ", weight of shape ", ShapeText(w.shape()),
        ", expected input to have ", w.size(1) * groups, " channels, got ", c.channels);
  ReadSteps(stride, padding, dilation, &c);
  c.out_h = OutputSize(c.height, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h);
  c.out_w = OutputSize(c.width, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w);
  return c;
}

}  // namespace
}  // namespace diopi::ops

extern "C" diopiError_t diopiConvolution2d(diopiContextHandle_t, diopiTensorHandle_t out,
                                           diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                           diopiConstTensorHandle_t bias, diopiSize_t stride,
                                           diopiSize_t padding, diopiSize_t dilation, int64_t groups) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), w(weight), b(bias);
    const Conv2d c = Plan(x, w, stride, padding, dilation, groups);
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
    const Conv2d c = Plan(x, w, stride, padding, dilation, groups);
    CheckShape(grad, c.out_shape(), "grad_output");
    const Shape bias_shape = bias_sizes == nullptr ? Shape{c.filters} : Sizes(*bias_sizes);
    Check(bias_shape == Shape{c.filters}, "expected bias_sizes (", c.filters, ",), got ",
          ShapeText(bias_shape));
    if (dx) CheckShape(dx, x.shape(), "grad_input");
    if (dw) CheckShape(dw, w.shape(), "grad_weight");
    if (db) CheckShape(db, bias_shape, "grad_bias");
    DispatchFloating(ResultType(grad, {grad, x, w}), [&]<typename C>() {
      const std::vector<C> g = Load<C>(grad);
      if (dx) Store(dx, GradInput(c, g, Load<C>(w)));
      if (dw) Store(dw, GradWeight(c, g, Load<C>(x)));
      if (db) Store(db, GradBias(g, c.filters, c.windows()));
    });
  });
}
