// 2-d and 3-d convolution: the windows of one image become the columns of a matrix, which the weights
// multiply. Convolution and transposed convolution are the same three products, each the other's gradient.
// Padding is not a term of a sum: where zero times the weight would be NaN, it is left out.
#ifndef BASELINES_OPS_CONVOLUTION_CONVOLUTION_COMMON_H_
#define BASELINES_OPS_CONVOLUTION_CONVOLUTION_COMMON_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "baselines/ops/convolution/convolution_plan.h"
#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// f(index into the matrix of windows, index into the image) for every pair that is not padding.
template <typename F>
void ForEachTap(const ConvShape& c, F&& f) {
  int64_t row = 0;
  for (int64_t channel = 0; channel < c.group_channels(); ++channel) {
    for (int64_t tap = 0; tap < c.taps(); ++tap, ++row) {
      const int64_t kd = tap / c.kernel_w / c.kernel_h, kh = tap / c.kernel_w % c.kernel_h,
                    kw = tap % c.kernel_w;
      for (int64_t line = 0; line < c.out_d * c.out_h; ++line) {
        const int64_t d = line / c.out_h * c.stride_d - c.pad_d + kd * c.dilation_d;
        const int64_t h = line % c.out_h * c.stride_h - c.pad_h + kh * c.dilation_h;
        if (d < 0 || d >= c.depth || h < 0 || h >= c.height) continue;
        for (int64_t ow = 0; ow < c.out_w; ++ow) {
          const int64_t w = ow * c.stride_w - c.pad_w + kw * c.dilation_w;
          if (w < 0 || w >= c.width) continue;
          f(row * c.windows() + line * c.out_w + ow, ((channel * c.depth + d) * c.height + h) * c.width + w);
        }
      }
    }
  }
}

// The matrix of windows, zero where they reach into the padding.
template <typename C>
std::vector<C> Windows(const ConvShape& c, const C* image) {
  std::vector<C> matrix(static_cast<size_t>(c.rows() * c.windows()), C(0));
  ForEachTap(c, [&](int64_t at, int64_t pixel) { matrix[at] = image[pixel]; });
  return matrix;
}

// Whether a factor of zero, which Windows puts into the padding, makes every product zero.
template <typename C>
bool AllFinite(const C* values, int64_t count) {
  using std::isfinite;
  return std::all_of(values, values + count, [](const C& value) { return isfinite(value); });
}

// x: in_shape(), w as in ConvShape, bias: [filters] or nothing. Gives out_shape().
template <typename C>
std::vector<C> Forward(const ConvShape& c, const std::vector<C>& x, const std::vector<C>& w,
                       const std::vector<C>& bias) {
  std::vector<C> out(static_cast<size_t>(Numel(c.out_shape())), C(0));
  if (out.empty()) return out;
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    const int64_t group = i % c.groups;
    C* y = out.data() + i * c.outputs();
    for (int64_t j = 0; j < c.outputs() && !bias.empty(); ++j) {
      y[j] = bias[group * c.group_filters() + j / c.windows()];
    }
    const C* image = x.data() + i * c.image();
    const C* kernels = w.data() + group * c.weights();
    if (AllFinite(kernels, c.weights())) {
      const std::vector<C> matrix = Windows(c, image);
      Gemm(Trans::kNo, Trans::kNo, c.group_filters(), c.windows(), c.rows(), kernels, matrix.data(), y, true);
      continue;
    }
    for (int64_t filter = 0; filter < c.group_filters(); ++filter) {
      ForEachTap(c, [&](int64_t at, int64_t pixel) {
        y[filter * c.windows() + at % c.windows()] +=
            kernels[filter * c.rows() + at / c.windows()] * image[pixel];
      });
    }
  }
  return out;
}

// grad: out_shape(). Gives in_shape(); zero where no window reaches.
template <typename C>
std::vector<C> GradInput(const ConvShape& c, const std::vector<C>& grad, const std::vector<C>& w) {
  std::vector<C> dx(static_cast<size_t>(c.batch * c.groups * c.image()), C(0));
  if (grad.empty()) return dx;  // the matrix of windows may be large all the same
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
std::vector<C> GradWeight(const ConvShape& c, const std::vector<C>& grad, const std::vector<C>& x) {
  std::vector<C> dw(static_cast<size_t>(c.groups * c.weights()), C(0));
  if (grad.empty()) return dw;
  for (int64_t i = 0; i < c.batch * c.groups; ++i) {
    const C* image = x.data() + i * c.image();
    const C* dy = grad.data() + i * c.outputs();
    C* kernels = dw.data() + i % c.groups * c.weights();
    if (AllFinite(dy, c.outputs())) {
      const std::vector<C> matrix = Windows(c, image);
      Gemm(Trans::kNo, Trans::kYes, c.group_filters(), c.rows(), c.windows(), dy, matrix.data(), kernels,
           true);
      continue;
    }
    for (int64_t filter = 0; filter < c.group_filters(); ++filter) {
      ForEachTap(c, [&](int64_t at, int64_t pixel) {
        kernels[filter * c.rows() + at / c.windows()] +=
            dy[filter * c.windows() + at % c.windows()] * image[pixel];
      });
    }
  }
  return dw;
}

// Sum of each channel of grad: [batch, channels, plane].
template <typename C>
std::vector<C> GradBias(const std::vector<C>& grad, int64_t channels, int64_t plane) {
  std::vector<Sum<C>> db(static_cast<size_t>(channels));
  for (int64_t i = 0; i < static_cast<int64_t>(grad.size()); ++i) db[i / plane % channels] += grad[i];
  return Totals(db);
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_CONVOLUTION_CONVOLUTION_COMMON_H_
