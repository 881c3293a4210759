// What a 2-d convolution is asked to do: sizes, and the checks of them.
#ifndef BASELINES_OPS_CONVOLUTION_CONVOLUTION_PLAN_H_
#define BASELINES_OPS_CONVOLUTION_CONVOLUTION_PLAN_H_

#include <algorithm>
#include <cstdint>

#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// What one convolution multiplies with what. A transposed one is described by the convolution it transposes:
// its input is that one's output.
struct Conv2d {
  int64_t batch, channels, height, width;  // input
  int64_t filters, kernel_h, kernel_w;     // weight: [filters, channels / groups, kernel_h, kernel_w]
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  int64_t out_h, out_w;

  DIOPI_HD int64_t group_channels() const { return channels / groups; }
  DIOPI_HD int64_t group_filters() const { return filters / groups; }
  int64_t image() const { return group_channels() * height * width; }  // one group of one input
  // Of the matrix of windows: rows and columns.
  DIOPI_HD int64_t rows() const { return group_channels() * kernel_h * kernel_w; }
  DIOPI_HD int64_t windows() const { return out_h * out_w; }
  int64_t weights() const { return group_filters() * rows(); }     // of one group
  int64_t outputs() const { return group_filters() * windows(); }  // one group of one output
  Shape in_shape() const { return {batch, channels, height, width}; }
  Shape out_shape() const { return {batch, filters, out_h, out_w}; }
};

// Fail unless x is a batch of images and w a set of kernels.
inline void CheckRanks(const Tensor& x, const Tensor& w) {
  Check(x.rank() == 4 && w.rank() == 4, "expected input and weight of 4 dimensions, got shapes ",
        ShapeText(x.shape()), " and ", ShapeText(w.shape()));
}

// One value for both axes or one for each.
inline void ReadPair(const diopiSize_t& sizes, int64_t least, const char* name, int64_t* h, int64_t* w) {
  const Shape pair = Sizes(sizes);
  Check(pair.size() == 1 || pair.size() == 2, "expected ", name, " of 1 or 2 values, got ", pair.size());
  *h = pair.front();
  *w = pair.back();
  Check(*h >= least && *w >= least, name, " must be at least ", least, ", got ", ShapeText(pair));
}

inline void ReadSteps(const diopiSize_t& stride, const diopiSize_t& padding, const diopiSize_t& dilation,
                      Conv2d* c) {
  ReadPair(stride, 1, "stride", &c->stride_h, &c->stride_w);
  ReadPair(padding, 0, "padding", &c->pad_h, &c->pad_w);
  ReadPair(dilation, 1, "dilation", &c->dilation_h, &c->dilation_w);
}

inline int64_t OutputSize(int64_t size, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation) {
  const int64_t room = size + 2 * pad - dilation * (kernel - 1) - 1;
  Check(room >= 0, "the kernel (", dilation * (kernel - 1) + 1, ") can't be greater than the padded input (",
        size + 2 * pad, ")");
  return room / stride + 1;
}

inline Conv2d PlanConvolution(const Tensor& x, const Tensor& w, const diopiSize_t& stride,
                              const diopiSize_t& padding, const diopiSize_t& dilation, int64_t groups) {
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
inline Conv2d PlanTransposed(const Tensor& x, const Tensor& w, const diopiSize_t& stride,
                             const diopiSize_t& padding, const diopiSize_t& output_padding,
                             const diopiSize_t& dilation, int64_t groups) {
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

// What both gradients' functions check of their outputs, each of which may be null. `bias_sizes`, which may
// be null too, repeats what the weight says: `channels`.
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
