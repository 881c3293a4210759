// The task of a 2-d or 3-d convolution: sizes, and their checks.
#ifndef BASELINES_OPS_CONVOLUTION_CONVOLUTION_PLAN_H_
#define BASELINES_OPS_CONVOLUTION_CONVOLUTION_PLAN_H_

#include <algorithm>
#include <cstdint>
#include <tuple>

#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// The sizes of one convolution. A transposed convolution is described by the convolution that it transposes:
// its input is the other's output.
struct ConvShape {
  int64_t batch, channels, height, width;  // input
  int64_t filters, kernel_h, kernel_w;     // weight: [filters, channels / groups, kernel_h, kernel_w]
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  int64_t out_h, out_w;
  // In 3-d there is a depth before the height; in 2-d it is 1 and changes nothing.
  int dims = 2;
  int64_t depth = 1, kernel_d = 1, stride_d = 1, pad_d = 0, dilation_d = 1, out_d = 1;

  DIOPI_HD int64_t group_channels() const { return channels / groups; }
  DIOPI_HD int64_t group_filters() const { return filters / groups; }
  DIOPI_HD int64_t elements() const { return depth * height * width; }      // of a channel of an input
  DIOPI_HD int64_t taps() const { return kernel_d * kernel_h * kernel_w; }  // of a channel of a filter
  int64_t image() const { return group_channels() * elements(); }           // one group of one input
  // The rows and columns of the matrix of windows.
  DIOPI_HD int64_t rows() const { return group_channels() * taps(); }
  DIOPI_HD int64_t windows() const { return out_d * out_h * out_w; }
  int64_t weights() const { return group_filters() * rows(); }     // of one group
  int64_t outputs() const { return group_filters() * windows(); }  // one group of one output
  Shape in_shape() const {
    return dims == 2 ? Shape{batch, channels, height, width} : Shape{batch, channels, depth, height, width};
  }
  Shape out_shape() const {
    return dims == 2 ? Shape{batch, filters, out_h, out_w} : Shape{batch, filters, out_d, out_h, out_w};
  }
};

// Fail unless x is a batch of images and w a set of kernels.
inline void CheckRanks(const Tensor& x, const Tensor& w, int dims) {
  Check(x.rank() == dims + 2 && w.rank() == dims + 2, "expected input and weight of ", dims + 2,
        " dimensions, got shapes ", ShapeText(x.shape()), " and ", ShapeText(w.shape()));
}

// A tensor's sizes without the first two; a depth of 1 where it has none.
inline std::tuple<int64_t, int64_t, int64_t> SpatialSizes(const Tensor& tensor) {
  return {tensor.rank() == 5 ? tensor.size(2) : 1, tensor.size(-2), tensor.size(-1)};
}

// One value for all axes or one for each: of depth (in 3-d), height and width.
inline void ReadAxes(const diopiSize_t& sizes, int64_t least, const char* name, int dims, int64_t* d,
                     int64_t* h, int64_t* w) {
  const Shape values = Sizes(sizes);
  const auto count = static_cast<int>(values.size());
  Check(count == 1 || count == dims, "expected ", name, " of 1 or ", dims, " values, got ", count);
  if (dims == 3) *d = values.front();
  *h = count == 1 ? values[0] : values[values.size() - 2];
  *w = values.back();
  Check(*std::min_element(values.begin(), values.end()) >= least, name, " must be at least ", least, ", got ",
        ShapeText(values));
}

inline void ReadSteps(const diopiSize_t& stride, const diopiSize_t& padding, const diopiSize_t& dilation,
                      ConvShape* c) {
  ReadAxes(stride, 1, "stride", c->dims, &c->stride_d, &c->stride_h, &c->stride_w);
  ReadAxes(padding, 0, "padding", c->dims, &c->pad_d, &c->pad_h, &c->pad_w);
  ReadAxes(dilation, 1, "dilation", c->dims, &c->dilation_d, &c->dilation_h, &c->dilation_w);
}

inline int64_t OutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1;
  Check(room >= 0, "the kernel (", dilation * (kernel - 1) + 1, ") can't be greater than the padded input (",
        size + 2 * pad, ")");
  return room / stride + 1;
}

inline ConvShape PlanConvolution(const Tensor& x, const Tensor& w, const diopiSize_t& stride,
                                 const diopiSize_t& padding, const diopiSize_t& dilation, int64_t groups,
                                 int dims = 2) {
  CheckRanks(x, w, dims);
  ConvShape c;
  c.dims = dims, c.batch = x.size(0), c.channels = x.size(1), c.filters = w.size(0);
  std::tie(c.depth, c.height, c.width) = SpatialSizes(x);
  std::tie(c.kernel_d, c.kernel_h, c.kernel_w) = SpatialSizes(w);
  c.groups = groups;
  Check(groups > 0 && c.filters % groups == 0, c.filters, " filters cannot form ", groups, " equal groups");
  Check(c.channels == w.size(1) * groups, "given groups=", groups, ", weight of shape ", ShapeText(w.shape()),
        ", expected input to have ", w.size(1) * groups, " channels, got ", c.channels);
  ReadSteps(stride, padding, dilation, &c);
  c.out_d = OutputSize(c.depth, c.kernel_d, c.stride_d, c.pad_d, c.dilation_d);
  c.out_h = OutputSize(c.height, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h);
  c.out_w = OutputSize(c.width, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w);
  return c;
}

// One side of the result; `extra` is its output_padding.
inline int64_t TransposedSize(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                              int64_t extra) {
  const int64_t room = std::max(stride, dilation);
  Check(extra < room, "output_padding must be smaller than stride or dilation (", room, "), got ", extra);
  const int64_t result = (size - 1) * stride - 2 * pad + dilation * (kernel - 1) + extra + 1;
  Check(result > 0, "the output would have a side of ", result);
  return result;
}

// The convolution that is transposed. w: [filters, channels / groups, kernel height, kernel width], x has the
// filters.
inline ConvShape PlanTransposed(const Tensor& x, const Tensor& w, const diopiSize_t& stride,
                                const diopiSize_t& padding, const diopiSize_t& output_padding,
                                const diopiSize_t& dilation, int64_t groups, int dims = 2) {
  CheckRanks(x, w, dims);
  ConvShape c;
  c.dims = dims, c.batch = x.size(0), c.filters = x.size(1);
  std::tie(c.out_d, c.out_h, c.out_w) = SpatialSizes(x);
  std::tie(c.kernel_d, c.kernel_h, c.kernel_w) = SpatialSizes(w);
  c.groups = groups;
  Check(groups > 0 && c.filters % groups == 0, c.filters, " channels cannot form ", groups, " equal groups");
  Check(c.filters == w.size(0), "given weight of shape ", ShapeText(w.shape()), ", expected input to have ",
        w.size(0), " channels, got ", c.filters);
  c.channels = w.size(1) * groups;
  ReadSteps(stride, padding, dilation, &c);
  int64_t extra_d = 0, extra_h = 0, extra_w = 0;
  ReadAxes(output_padding, 0, "output_padding", dims, &extra_d, &extra_h, &extra_w);
  c.depth = TransposedSize(c.out_d, c.kernel_d, c.stride_d, c.pad_d, c.dilation_d, extra_d);
  c.height = TransposedSize(c.out_h, c.kernel_h, c.stride_h, c.pad_h, c.dilation_h, extra_h);
  c.width = TransposedSize(c.out_w, c.kernel_w, c.stride_w, c.pad_w, c.dilation_w, extra_w);
  return c;
}

// The checks by both gradients' functions of their outputs, each of which may be null. `bias_sizes`, which
// may be null too, repeats the weight's `channels`.
inline void CheckGradients(const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad_bias,
                           const Tensor& input, const Tensor& weight, const diopiSize_t* bias_sizes,
                           int64_t channels) {
  const Shape bias = bias_sizes == nullptr ? Shape{channels} : Sizes(*bias_sizes);
  Check(bias == Shape{channels}, "expected bias_sizes (", channels, ",), got ", ShapeText(bias));
  if (grad_input) CheckShape(grad_input, input.shape(), "grad_input");
  if (grad_weight) CheckShape(grad_weight, weight.shape(), "grad_weight");
  if (grad_bias) CheckShape(grad_bias, bias, "grad_bias");
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_CONVOLUTION_CONVOLUTION_PLAN_H_
