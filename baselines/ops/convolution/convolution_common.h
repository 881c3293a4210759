// 2-d convolution: the windows of one image become the columns of a matrix, which the weights multiply.
// Convolution and transposed convolution are the same three products, each the other's gradient.
#ifndef BASELINES_OPS_CONVOLUTION_CONVOLUTION_COMMON_H_
#define BASELINES_OPS_CONVOLUTION_CONVOLUTION_COMMON_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// What one convolution multiplies with what. A transposed one is described by the convolution it transposes:
// its input is that one's output.
struct Conv2d {
  int64_t batch, channels, height, width;  // input
  int64_t filters, kernel_h, kernel_w;     // weight: [filters, channels / groups, kernel_h, kernel_w]
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  int64_t out_h, out_w;

  int64_t group_channels() const { return channels / groups; }
  int64_t group_filters() const { return filters / groups; }
  int64_t image() const { return group_channels() * height * width; }      // one group of one input
  int64_t rows() const { return group_channels() * kernel_h * kernel_w; }  // of the matrix of windows
  int64_t windows() const { return out_h * out_w; }                        // its columns
  int64_t weights() const { return group_filters() * rows(); }             // of one group
  int64_t outputs() const { return group_filters() * windows(); }          // one group of one output
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

// f(index into the matrix of windows, index into the image) for every pair that is not padding.
template <typename F>
void ForEachTap(const Conv2d& c, F&& f) {
  int64_t row = 0;
  for (int64_t channel = 0; channel < c.group_channels(); ++channel) {
    for (int64_t kh = 0; kh < c.kernel_h; ++kh) {
      for (int64_t kw = 0; kw < c.kernel_w; ++kw, ++row) {
        for (int64_t oh = 0; oh < c.out_h; ++oh) {
          const int64_t h = oh * c.stride_h - c.pad_h + kh * c.dilation_h;
          if (h < 0 || h >= c.height) continue;
          for (int64_t ow = 0; ow < c.out_w; ++ow) {
            const int64_t w = ow * c.stride_w - c.pad_w + kw * c.dilation_w;
            if (w < 0 || w >= c.width) continue;
            f(row * c.windows() + oh * c.out_w + ow, (channel * c.height + h) * c.width + w);
          }
        }
      }
    }
  }
}

// The matrix of windows, zero where they reach into the padding.
template <typename C>
std::vector<C> Windows(const Conv2d& c, const C* image) {
  std::vector<C> matrix(static_cast<size_t>(c.rows() * c.windows()), C(0));
  ForEachTap(c, [&](int64_t at, int64_t pixel) { matrix[at] = image[pixel]; });
  return matrix;
}

// x: [batch, channels, height, width], w as in Conv2d, bias: [filters] or nothing. Gives out_shape().
template <typename C>
std::vector<C> Forward(const Conv2d& c, const std::vector<C>& x, const std::vector<C>& w,
                       const std::vector<C>& bias) {
  std::vector<C> out(static_cast<size_t>(Numel(c.out_shape())), C(0));
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    const int64_t group = i % c.groups;
    C* y = out.data() + i * c.outputs();
    for (int64_t j = 0; j < c.outputs() && !bias.empty(); ++j) {
      y[j] = bias[group * c.group_filters() + j / c.windows()];
    }
    const std::vector<C> matrix = Windows(c, x.data() + i * c.image());
    Gemm(Trans::kNo, Trans::kNo, c.group_filters(), c.windows(), c.rows(), w.data() + group * c.weights(),
         matrix.data(), y, true);
  }
  return out;
}

// grad: out_shape(). Gives [batch, channels, height, width]; zero where no window reaches.
template <typename C>
std::vector<C> GradInput(const Conv2d& c, const std::vector<C>& grad, const std::vector<C>& w) {
  std::vector<C> dx(static_cast<size_t>(c.batch * c.groups * c.image()), C(0));
  std::vector<C> matrix(static_cast<size_t>(c.rows() * c.windows()));
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    Gemm(Trans::kYes, Trans::kNo, c.rows(), c.windows(), c.group_filters(),
         w.data() + i % c.groups * c.weights(), grad.data() + i * c.outputs(), matrix.data());
    C* image = dx.data() + i * c.image();
    ForEachTap(c, [&](int64_t at, int64_t pixel) { image[pixel] += matrix[at]; });
  }
  return dx;
}

template <typename C>
std::vector<C> GradWeight(const Conv2d& c, const std::vector<C>& grad, const std::vector<C>& x) {
  std::vector<C> dw(static_cast<size_t>(c.groups * c.weights()), C(0));
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    const std::vector<C> matrix = Windows(c, x.data() + i * c.image());
    Gemm(Trans::kNo, Trans::kYes, c.group_filters(), c.rows(), c.windows(), grad.data() + i * c.outputs(),
         matrix.data(), dw.data() + i % c.groups * c.weights(), true);
  }
  return dw;
}

// Sum of each channel of grad: [batch, channels, plane].
template <typename C>
std::vector<C> GradBias(const std::vector<C>& grad, int64_t channels, int64_t plane) {
  std::vector<C> db(static_cast<size_t>(channels), C(0));
  for (int64_t i = 0; i < static_cast<int64_t>(grad.size()); ++i) db[i / plane % channels] += grad[i];
  return db;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_CONVOLUTION_CONVOLUTION_COMMON_H_
