// Transposed 2-d convolution: its forward is the gradient of a convolution by its input, its gradient by the
// input that convolution itself.
#include <algorithm>

#include "baselines/ops/convolution/convolution_common.h"

namespace diopi::ops {
namespace {

// One side of the result; `extra` is its output_padding.
int64_t TransposedSize(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                       int64_t extra) {
  const int64_t room = std::max(stride, dilation);
  Check(extra < room, "output_padding must be smaller than stride or dilation (", room, "), got ", extra);
  const int64_t result = (size - 1) * stride - 2 * pad + dilation * (kernel - 1) + extra + 1;
  Check(result > 0, "the output would have a side of ", result);
  return result;
}

// The convolution that is transposed. w: [filters, channels / groups, kernel height, kernel width], x has the
// filters.
Conv2d Plan(const Tensor& x, const Tensor& w, const diopiSize_t& stride, const diopiSize_t& padding,
            const diopiSize_t& output_padding, const diopiSize_t& dilation, int64_t groups) {
  CheckRanks(x, w);
  Conv2d c;
  c.batch = x.size(0), c.filters = x.size(1), c.out_h = x.size(2), c.out_w = x.size(3);
  c.kernel_h = w.size(2), c.kernel_w = w.size(3);
  c.groups = groups;
  Check(groups > 0 && c.filters % groups == 0, c.filters, " channels do not make ", groups, " groups");
  Check(c.filters == w.size(0), "given weight of shape ", ShapeText(w.shape()), ", expected input to have ",
        w.size(0), " channels, got ", c.filters);
  c.channels = w.size(1) * groups;
  ReadSteps(stride, padding, dilation, &c);
  int64_t extra_h = 0, extra_w = 0;
  ReadPair(output_padding, 0, "output_padding", &extra_h, &extra_w);
  c.height = TransposedSize(c.out_h, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h, extra_h);
  c.width = TransposedSize(c.out_w, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w, extra_w);
  return c;
}

Shape ResultShape(const Conv2d& c) {
  return {c.batch, c.channels, c.height, c.width};
}

}  // namespace
}  // namespace diopi::ops

extern "C" diopiError_t diopiConvTranspose2d(diopiContextHandle_t, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t weight,
                                             diopiConstTensorHandle_t bias, diopiSize_t stride,
                                             diopiSize_t padding, diopiSize_t output_padding, int64_t groups,
                                             diopiSize_t dilation) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor result(out), x(input), w(weight), b(bias);
    const Conv2d c = Plan(x, w, stride, padding, output_padding, dilation, groups);
    CheckShape(result, ResultShape(c), "out");
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
    const Conv2d c = Plan(x, w, stride, padding, output_padding, dilation, groups);
    CheckShape(grad, ResultShape(c), "grad_output");
    const Shape bias_shape = bias_sizes == nullptr ? Shape{c.channels} : Sizes(*bias_sizes);
    Check(bias_shape == Shape{c.channels}, "expected bias_sizes (", c.channels, ",), got ",
          ShapeText(bias_shape));
    if (dx) CheckShape(dx, x.shape(), "grad_input");
    if (dw) CheckShape(dw, w.shape(), "grad_weight");
    if (db) CheckShape(db, bias_shape, "grad_bias");
    DispatchFloating(ResultType(grad, {grad, x, w}), [&]<typename C>() {
      const std::vector<C> g = Load<C>(grad);
      if (dx) Store(dx, Forward(c, g, Load<C>(w), std::vector<C>()));
      if (dw) Store(dw, GradWeight(c, Load<C>(x), g));
      if (db) Store(db, GradBias(g, c.channels, c.height * c.width));
    });
  });
}
