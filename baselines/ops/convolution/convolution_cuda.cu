#include "baselines/ops/convolution/convolution_cuda.h"
#include "baselines/ops/convolution/convolution_dnn.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {
namespace {

// out[row] = sum of term(row, j) over j, plus the bias of its channel.
template <typename C, typename F>
struct SumInto {
  using State = C;
  F term;
  Out<C> out;
  In<C> bias;
  int64_t plane, channels;
  DIOPI_HD State Empty() const { return C(0); }
  DIOPI_HD State Load(int64_t row, int64_t j) const { return term(row, j); }
  DIOPI_HD State Combine(State a, State b) const { return a + b; }
  DIOPI_HD void Finish(int64_t row, State sum) const { out.Set(row, sum + bias[row / plane % channels]); }
};
template <typename C, typename F>
void Sum(const Queue& queue, const Tensor& out, int64_t length, const F& term,
         const Tensor& bias = Tensor()) {
  int64_t plane = 1, channels = 1;
  if (bias) {
    plane = out.size(2) * out.size(3);
    channels = out.size(1);
  }
  ReduceRows(queue, out.numel(), length,
             SumInto<C, F>{term, Out<C>(out), bias ? In<C>(bias) : In<C>::Constant(C(0)), plane, channels});
}

// The element of an input that a kernel's tap meets in a window; zero in the padding, which is multiplied as
// any other: an infinite weight makes it NaN.
template <typename C>
struct Taps {
  In<C> x;
  Conv2d c;
  DIOPI_HD C At(int64_t sample, int64_t channel, int64_t oh, int64_t ow, int64_t kh, int64_t kw) const {
    const int64_t h = oh * c.stride_h - c.pad_h + kh * c.dilation_h;
    const int64_t w = ow * c.stride_w - c.pad_w + kw * c.dilation_w;
    if (h < 0 || h >= c.height || w < 0 || w >= c.width) return C(0);
    return x[((sample * c.channels + channel) * c.height + h) * c.width + w];
  }
};

// j: a weight of the filter.
template <typename C>
struct ForwardTerms {
  Taps<C> taps;
  In<C> w;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const Conv2d& c = taps.c;
    const int64_t f = row / c.windows() % c.filters, kernel = c.kernel_h * c.kernel_w;
    const int64_t channel = f / c.group_filters() * c.group_channels() + j / kernel;
    return w[f * c.rows() + j] * taps.At(row / c.windows() / c.filters, channel, row / c.out_w % c.out_h,
                                         row % c.out_w, j % kernel / c.kernel_w, j % c.kernel_w);
  }
};

// The window that takes an element by tap k, or -1.
DIOPI_HD inline int64_t WindowWith(int64_t at, int64_t k, int64_t pad, int64_t dilation, int64_t stride,
                                   int64_t count) {
  const int64_t steps = at + pad - k * dilation;
  return steps >= 0 && steps % stride == 0 && steps / stride < count ? steps / stride : -1;
}

// j: a filter of the group and a place in its kernel.
template <typename C>
struct GradInputTerms {
  In<C> grad, w;
  Conv2d c;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const int64_t kernel = c.kernel_h * c.kernel_w, k = j % kernel;
    const int64_t oh =
        WindowWith(row / c.width % c.height, k / c.kernel_w, c.pad_h, c.dilation_h, c.stride_h, c.out_h);
    const int64_t ow = WindowWith(row % c.width, k % c.kernel_w, c.pad_w, c.dilation_w, c.stride_w, c.out_w);
    if (oh < 0 || ow < 0) return C(0);
    const int64_t channel = row / (c.height * c.width) % c.channels;
    const int64_t f = channel / c.group_channels() * c.group_filters() + j / kernel;
    const int64_t sample = row / (c.height * c.width) / c.channels;
    return grad[((sample * c.filters + f) * c.out_h + oh) * c.out_w + ow] *
           w[f * c.rows() + channel % c.group_channels() * kernel + k];
  }
};

// j: a sample and a window.
template <typename C>
struct GradWeightTerms {
  In<C> grad;
  Taps<C> taps;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const Conv2d& c = taps.c;
    const int64_t kernel = c.kernel_h * c.kernel_w, f = row / c.rows();
    const int64_t channel = f / c.group_filters() * c.group_channels() + row % c.rows() / kernel;
    const int64_t sample = j / c.windows(), window = j % c.windows();
    return grad[(sample * c.filters + f) * c.windows() + window] *
           taps.At(sample, channel, window / c.out_w, window % c.out_w, row % kernel / c.kernel_w,
                   row % c.kernel_w);
  }
};

template <typename C>
struct ElementOfRow {
  In<C> x;
  int64_t length;
  DIOPI_HD C operator()(int64_t row, int64_t j) const { return x[row * length + j]; }
};

// The bias of each channel all over `out`, for a product to be added to.
void Spread(const Queue& queue, const Tensor& out, const Tensor& bias) {
  if (!bias) return;
  DispatchFloating(out.dtype(), [&]<typename C>() {
    const Shape strides = {0, bias.strides()[0], 0, 0};
    Copy(queue, out.numel(), Out<C>(out), In<C>(bias.data(), bias.dtype(), out.shape(), strides));
  });
}

}  // namespace

void ConvolutionForward(const Queue& queue, const Conv2d& c, const Tensor& out, const Tensor& x,
                        const Tensor& w, const Tensor& bias) {
  Spread(queue, out, bias);
  if (TryConvolution(queue, ConvolutionProduct::kForward, c, x, w, out, static_cast<bool>(bias))) return;
  DispatchFloating(ResultType(out, {x, w}), [&]<typename C>() {
    Sum<C>(queue, out, c.rows(), ForwardTerms<C>{{In<C>(x), c}, In<C>(w)}, bias);
  });
}

void ConvolutionGradInput(const Queue& queue, const Conv2d& c, const Tensor& out, const Tensor& grad,
                          const Tensor& w, const Tensor& bias) {
  Spread(queue, out, bias);
  if (TryConvolution(queue, ConvolutionProduct::kGradInput, c, out, w, grad, static_cast<bool>(bias))) return;
  DispatchFloating(ResultType(out, {grad, w}), [&]<typename C>() {
    Sum<C>(queue, out, c.group_filters() * c.kernel_h * c.kernel_w,
           GradInputTerms<C>{In<C>(grad), In<C>(w), c}, bias);
  });
}

void ConvolutionGradWeight(const Queue& queue, const Conv2d& c, const Tensor& out, const Tensor& grad,
                           const Tensor& x) {
  if (TryConvolution(queue, ConvolutionProduct::kGradWeight, c, x, out, grad, false)) return;
  DispatchFloating(ResultType(out, {grad, x}), [&]<typename C>() {
    Sum<C>(queue, out, c.batch * c.windows(), GradWeightTerms<C>{In<C>(grad), {In<C>(x), c}});
  });
}

void ConvolutionGradBias(const Queue& queue, const Tensor& out, const Tensor& grad) {
  const RowView rows = RowsOf(grad, {0, 2, 3});
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    Sum<C>(queue, out, rows.length, ElementOfRow<C>{In<C>(grad, rows), rows.length});
  });
}

}  // namespace diopi::ops::cuda
