// Each product as sums, for any dtype, strides and sizes: one row of reduce.h for each result, so that every
// sum has its fixed tree.
#include "baselines/ops/convolution/convolution.h"
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
    channels = out.size(1);
    for (int64_t dim = 2; dim < out.rank(); ++dim) plane *= out.size(dim);
  }
  ReduceRows(queue, out.numel(), length,
             SumInto<C, F>{term, Out<C>(out), bias ? In<C>(bias) : In<C>::Constant(C(0)), plane, channels});
}

// The element of an input under a kernel's tap in a window; zero in the padding, which is multiplied like any
// other element: an infinite weight makes it NaN.
template <typename C>
struct Taps {
  In<C> x;
  ConvShape c;
  DIOPI_HD C At(int64_t sample, int64_t channel, int64_t window, int64_t tap) const {
    const int64_t od = window / c.out_w / c.out_h, kd = tap / c.kernel_w / c.kernel_h;
    const int64_t d = od * c.stride_d - c.pad_d + kd * c.dilation_d;
    const int64_t h =
        window / c.out_w % c.out_h * c.stride_h - c.pad_h + tap / c.kernel_w % c.kernel_h * c.dilation_h;
    const int64_t w = window % c.out_w * c.stride_w - c.pad_w + tap % c.kernel_w * c.dilation_w;
    if (d < 0 || d >= c.depth || h < 0 || h >= c.height || w < 0 || w >= c.width) return C(0);
    return x[(((sample * c.channels + channel) * c.depth + d) * c.height + h) * c.width + w];
  }
};

// j: a weight of the filter.
template <typename C>
struct ForwardTerms {
  Taps<C> taps;
  In<C> w;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const ConvShape& c = taps.c;
    const int64_t f = row / c.windows() % c.filters;
    const int64_t channel = f / c.group_filters() * c.group_channels() + j / c.taps();
    return w[f * c.rows() + j] *
           taps.At(row / c.windows() / c.filters, channel, row % c.windows(), j % c.taps());
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
  ConvShape c;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const int64_t k = j % c.taps(), kd = k / c.kernel_w / c.kernel_h, kh = k / c.kernel_w % c.kernel_h;
    const int64_t od =
        WindowWith(row / c.width / c.height % c.depth, kd, c.pad_d, c.dilation_d, c.stride_d, c.out_d);
    const int64_t oh = WindowWith(row / c.width % c.height, kh, c.pad_h, c.dilation_h, c.stride_h, c.out_h);
    const int64_t ow = WindowWith(row % c.width, k % c.kernel_w, c.pad_w, c.dilation_w, c.stride_w, c.out_w);
    if (od < 0 || oh < 0 || ow < 0) return C(0);
    const int64_t channel = row / c.elements() % c.channels;
    const int64_t f = channel / c.group_channels() * c.group_filters() + j / c.taps();
    const int64_t sample = row / c.elements() / c.channels;
    return grad[(((sample * c.filters + f) * c.out_d + od) * c.out_h + oh) * c.out_w + ow] *
           w[f * c.rows() + channel % c.group_channels() * c.taps() + k];
  }
};

// j: a sample and a window.
template <typename C>
struct GradWeightTerms {
  In<C> grad;
  Taps<C> taps;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const ConvShape& c = taps.c;
    const int64_t f = row / c.rows();
    const int64_t channel = f / c.group_filters() * c.group_channels() + row % c.rows() / c.taps();
    const int64_t sample = j / c.windows(), window = j % c.windows();
    return grad[(sample * c.filters + f) * c.windows() + window] *
           taps.At(sample, channel, window, row % c.taps());
  }
};

template <typename C>
struct ElementOfRow {
  In<C> x;
  int64_t length;
  DIOPI_HD C operator()(int64_t row, int64_t j) const { return x[row * length + j]; }
};

// Fills `out` with each channel's bias, to which a product is added.
void Spread(const Queue& queue, const Tensor& out, const Tensor& bias) {
  if (!bias) return;
  DispatchFloating(out.dtype(), [&]<typename C>() {
    Shape strides(out.shape().size(), 0);
    strides[1] = bias.strides()[0];
    Copy(queue, out.numel(), Out<C>(out), In<C>(bias.data(), bias.dtype(), out.shape(), strides));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

namespace diopi::ops::both {
using namespace cuda;  // NOLINT: the kernels above and what they stand on

void ConvolutionForward(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& x,
                        const Tensor& w, const Tensor& bias) {
  Spread(queue, out, bias);
  if (TryConvolution(queue, ConvolutionProduct::kForward, c, x, w, out, static_cast<bool>(bias))) return;
  DispatchFloating(ResultType(out, {x, w}), [&]<typename C>() {
    Sum<C>(queue, out, c.rows(), ForwardTerms<C>{{In<C>(x), c}, In<C>(w)}, bias);
  });
}

void ConvolutionGradInput(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& grad,
                          const Tensor& w, const Tensor& bias) {
  Spread(queue, out, bias);
  if (TryConvolution(queue, ConvolutionProduct::kGradInput, c, out, w, grad, static_cast<bool>(bias))) return;
  DispatchFloating(ResultType(out, {grad, w}), [&]<typename C>() {
    Sum<C>(queue, out, c.group_filters() * c.taps(), GradInputTerms<C>{In<C>(grad), In<C>(w), c}, bias);
  });
}

void ConvolutionGradWeight(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& grad,
                           const Tensor& x) {
  if (TryConvolution(queue, ConvolutionProduct::kGradWeight, c, x, out, grad, false)) return;
  DispatchFloating(ResultType(out, {grad, x}), [&]<typename C>() {
    Sum<C>(queue, out, c.batch * c.windows(), GradWeightTerms<C>{In<C>(grad), {In<C>(x), c}});
  });
}

void ConvolutionGradBias(const Queue& queue, const Tensor& out, const Tensor& grad) {
  Shape dims = {0};
  for (int64_t dim = 2; dim < grad.rank(); ++dim) dims.push_back(dim);
  const RowView rows = RowsOf(grad, dims);
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    Sum<C>(queue, out, rows.length, ElementOfRow<C>{In<C>(grad, rows), rows.length});
  });
}

}  // namespace diopi::ops::both
