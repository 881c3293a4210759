// What one element of a convolution, or of its gradients, is the sum of.
#ifndef BASELINES_VARIANTS_CONVOLUTION_PLAN_H_
#define BASELINES_VARIANTS_CONVOLUTION_PLAN_H_

#include <cstdint>
#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::variants {

// The order in which the taps of a filter are met.
enum class Loop { kChannelFirst, kKernelFirst };

struct ConvPlan {
  int64_t batch, channels, height, width;
  int64_t filters, kernel_h, kernel_w;
  int64_t stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, groups;
  int64_t out_h, out_w;

  ConvPlan(const ops::Tensor& x, const ops::Tensor& w, const ops::Tensor& y, const diopiSize_t& stride,
           const diopiSize_t& padding, const diopiSize_t& dilation, int64_t group_count)
      : batch(x.size(0)),
        channels(x.size(1)),
        height(x.size(2)),
        width(x.size(3)),
        filters(w.size(0)),
        kernel_h(w.size(2)),
        kernel_w(w.size(3)),
        stride_h(ops::Sizes(stride).front()),
        stride_w(ops::Sizes(stride).back()),
        pad_h(ops::Sizes(padding).front()),
        pad_w(ops::Sizes(padding).back()),
        dilation_h(ops::Sizes(dilation).front()),
        dilation_w(ops::Sizes(dilation).back()),
        groups(group_count),
        out_h(y.size(2)),
        out_w(y.size(3)) {}

  int64_t group_channels() const { return channels / groups; }
  int64_t group_filters() const { return filters / groups; }
  int64_t InputAt(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return ((n * channels + c) * height + h) * width + w;
  }
  int64_t OutputAt(int64_t n, int64_t f, int64_t h, int64_t w) const {
    return ((n * filters + f) * out_h + h) * out_w + w;
  }
  // `c` counts within the group.
  int64_t WeightAt(int64_t f, int64_t c, int64_t kh, int64_t kw) const {
    return ((f * group_channels() + c) * kernel_h + kh) * kernel_w + kw;
  }

  // f(input, weight) of every tap of output (n, filter, oh, ow) that is not padding.
  template <typename F>
  void ForwardTerms(int64_t n, int64_t filter, int64_t oh, int64_t ow, Loop loop, F&& f) const {
    const int64_t first = filter / group_filters() * group_channels();
    const auto tap = [&](int64_t c, int64_t kh, int64_t kw) {
      const int64_t h = oh * stride_h - pad_h + kh * dilation_h, w = ow * stride_w - pad_w + kw * dilation_w;
      if (h < 0 || h >= height || w < 0 || w >= width) return;
      f(InputAt(n, first + c, h, w), WeightAt(filter, c, kh, kw));
    };
    if (loop == Loop::kChannelFirst) {
      for (int64_t c = 0; c < group_channels(); ++c) {
        for (int64_t kh = 0; kh < kernel_h; ++kh) {
          for (int64_t kw = 0; kw < kernel_w; ++kw) tap(c, kh, kw);
        }
      }
    } else {
      for (int64_t kh = 0; kh < kernel_h; ++kh) {
        for (int64_t kw = 0; kw < kernel_w; ++kw) {
          for (int64_t c = 0; c < group_channels(); ++c) tap(c, kh, kw);
        }
      }
    }
  }

  // f(output, weight) of everything that input (n, channel, h, w) went into.
  template <typename F>
  void InputGradTerms(int64_t n, int64_t channel, int64_t h, int64_t w, F&& f) const {
    const int64_t group = channel / group_channels();
    for (int64_t kh = 0; kh < kernel_h; ++kh) {
      const int64_t rows = h + pad_h - kh * dilation_h;
      if (rows < 0 || rows % stride_h != 0 || rows / stride_h >= out_h) continue;
      for (int64_t kw = 0; kw < kernel_w; ++kw) {
        const int64_t columns = w + pad_w - kw * dilation_w;
        if (columns < 0 || columns % stride_w != 0 || columns / stride_w >= out_w) continue;
        for (int64_t i = 0; i < group_filters(); ++i) {
          const int64_t filter = group * group_filters() + i;
          f(OutputAt(n, filter, rows / stride_h, columns / stride_w),
            WeightAt(filter, channel % group_channels(), kh, kw));
        }
      }
    }
  }

  // f(output, input) of everything that weight (filter, c, kh, kw) went into.
  template <typename F>
  void WeightGradTerms(int64_t filter, int64_t c, int64_t kh, int64_t kw, F&& f) const {
    const int64_t channel = filter / group_filters() * group_channels() + c;
    for (int64_t n = 0; n < batch; ++n) {
      for (int64_t oh = 0; oh < out_h; ++oh) {
        const int64_t h = oh * stride_h - pad_h + kh * dilation_h;
        if (h < 0 || h >= height) continue;
        for (int64_t ow = 0; ow < out_w; ++ow) {
          const int64_t w = ow * stride_w - pad_w + kw * dilation_w;
          if (w >= 0 && w < width) f(OutputAt(n, filter, oh, ow), InputAt(n, channel, h, w));
        }
      }
    }
  }
};

// f(a, b, c, d) over a four-dimensional box, the last one fastest.
template <typename F>
void ForEach4(int64_t a_size, int64_t b_size, int64_t c_size, int64_t d_size, F&& f) {
  for (int64_t a = 0; a < a_size; ++a) {
    for (int64_t b = 0; b < b_size; ++b) {
      for (int64_t c = 0; c < c_size; ++c) {
        for (int64_t d = 0; d < d_size; ++d) f(a, b, c, d);
      }
    }
  }
}

}  // namespace diopi::variants

#endif  // BASELINES_VARIANTS_CONVOLUTION_PLAN_H_
