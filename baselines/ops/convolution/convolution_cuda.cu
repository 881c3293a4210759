// Each product as sums, for any dtype, strides and sizes: one row of reduce.h for each result, so that every
// sum has its fixed tree. Places are found without a division (quotients.h).
#include "baselines/ops/convolution/convolution.h"
#include "baselines/ops/convolution/convolution_dnn.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/quotients.h"
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
void SumTerms(const Queue& queue, const Tensor& out, int64_t length, const F& term,
              const Tensor& bias = Tensor()) {
  int64_t plane = 1, channels = 1;
  if (bias) {
    channels = out.size(1);
    for (int64_t dim = 2; dim < out.rank(); ++dim) plane *= out.size(dim);
  }
  ReduceRows(queue, out.numel(), length,
             SumInto<C, F>{term, Out<C>(out), bias ? In<C>(bias) : In<C>::Constant(C(0)), plane, channels});
}

// A place in a volume of any depth.
struct Place3 {
  int64_t d, h, w;
};
class Places {
 public:
  Places(int64_t height, int64_t width) : height_(height), width_(width) {}
  DIOPI_HD Place3 Of(int64_t index) const {
    const int64_t line = width_.Of(index);
    return {height_.Of(line), height_.Rest(line), width_.Rest(index)};
  }

 private:
  Quotients height_, width_;
};

// A convolution, and divisions by its sizes.
struct Sizes3d : ConvShape {
  explicit Sizes3d(const ConvShape& c)
      : ConvShape(c),
        tap_places(c.kernel_h, c.kernel_w),
        window_places(c.out_h, c.out_w),
        element_places(c.height, c.width),
        by_taps(c.taps()),
        by_windows(c.windows()),
        by_elements(c.elements()),
        by_rows(c.rows()),
        by_filters(c.filters),
        by_channels(c.channels),
        by_group_filters(c.group_filters()),
        by_group_channels(c.group_channels()),
        by_stride_d(c.stride_d),
        by_stride_h(c.stride_h),
        by_stride_w(c.stride_w) {}
  Places tap_places, window_places, element_places;
  Quotients by_taps, by_windows, by_elements, by_rows, by_filters, by_channels, by_group_filters,
      by_group_channels;
  Quotients by_stride_d, by_stride_h, by_stride_w;
};

// The element of an input under a kernel's tap in a window; zero in the padding, which is multiplied like any
// other element: an infinite weight makes it NaN.
template <typename C>
struct Taps {
  In<C> x;
  Sizes3d c;
  DIOPI_HD C At(int64_t sample, int64_t channel, int64_t window, int64_t tap) const {
    const Place3 o = c.window_places.Of(window), k = c.tap_places.Of(tap);
    const int64_t d = o.d * c.stride_d - c.pad_d + k.d * c.dilation_d;
    const int64_t h = o.h * c.stride_h - c.pad_h + k.h * c.dilation_h;
    const int64_t w = o.w * c.stride_w - c.pad_w + k.w * c.dilation_w;
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
    const Sizes3d& c = taps.c;
    const int64_t image = c.by_windows.Of(row), f = c.by_filters.Rest(image);
    const int64_t channel = c.by_group_filters.Of(f) * c.group_channels() + c.by_taps.Of(j);
    return w[f * c.rows() + j] *
           taps.At(c.by_filters.Of(image), channel, c.by_windows.Rest(row), c.by_taps.Rest(j));
  }
};

// The window that takes an element by tap k, or -1.
DIOPI_HD inline int64_t WindowWith(int64_t at, int64_t k, int64_t pad, int64_t dilation,
                                   const Quotients& by_stride, int64_t count) {
  const int64_t steps = at + pad - k * dilation;
  if (steps < 0 || by_stride.Rest(steps) != 0) return -1;
  const int64_t window = by_stride.Of(steps);
  return window < count ? window : -1;
}

// j: a filter of the group and a place in its kernel.
template <typename C>
struct GradInputTerms {
  In<C> grad, w;
  Sizes3d c;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const int64_t tap = c.by_taps.Rest(j), image = c.by_elements.Of(row);
    const Place3 k = c.tap_places.Of(tap), at = c.element_places.Of(c.by_elements.Rest(row));
    const int64_t od = WindowWith(at.d, k.d, c.pad_d, c.dilation_d, c.by_stride_d, c.out_d);
    const int64_t oh = WindowWith(at.h, k.h, c.pad_h, c.dilation_h, c.by_stride_h, c.out_h);
    const int64_t ow = WindowWith(at.w, k.w, c.pad_w, c.dilation_w, c.by_stride_w, c.out_w);
    if (od < 0 || oh < 0 || ow < 0) return C(0);
    const int64_t channel = c.by_channels.Rest(image), sample = c.by_channels.Of(image);
    const int64_t f = c.by_group_channels.Of(channel) * c.group_filters() + c.by_taps.Of(j);
    return grad[(((sample * c.filters + f) * c.out_d + od) * c.out_h + oh) * c.out_w + ow] *
           w[f * c.rows() + c.by_group_channels.Rest(channel) * c.taps() + tap];
  }
};

// j: a sample and a window.
template <typename C>
struct GradWeightTerms {
  In<C> grad;
  Taps<C> taps;
  DIOPI_HD C operator()(int64_t row, int64_t j) const {
    const Sizes3d& c = taps.c;
    const int64_t f = c.by_rows.Of(row), weight = c.by_rows.Rest(row);
    const int64_t channel = c.by_group_filters.Of(f) * c.group_channels() + c.by_taps.Of(weight);
    const int64_t sample = c.by_windows.Of(j), window = c.by_windows.Rest(j);
    return grad[(sample * c.filters + f) * c.windows() + window] *
           taps.At(sample, channel, window, c.by_taps.Rest(weight));
  }
};

template <typename C>
struct ElementOfRow {
  In<C> x;
  int64_t length;
  DIOPI_HD C operator()(int64_t row, int64_t j) const { return x[row * length + j]; }
};

}  // namespace
}  // namespace diopi::ops::cuda

namespace diopi::ops::both {
using namespace cuda;  // NOLINT: the kernels above and what they stand on

void ConvolutionForward(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& x,
                        const Tensor& w, const Tensor& bias) {
  if (TryConvolution(queue, ConvolutionProduct::kForward, c, x, w, out, bias)) return;
  DispatchFloating(ResultType(out, {x, w}), [&]<typename C>() {
    SumTerms<C>(queue, out, c.rows(), ForwardTerms<C>{{In<C>(x), Sizes3d(c)}, In<C>(w)}, bias);
  });
}

void ConvolutionGradInput(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& grad,
                          const Tensor& w, const Tensor& bias) {
  if (TryConvolution(queue, ConvolutionProduct::kGradInput, c, out, w, grad, bias)) return;
  DispatchFloating(ResultType(out, {grad, w}), [&]<typename C>() {
    SumTerms<C>(queue, out, c.group_filters() * c.taps(),
                GradInputTerms<C>{In<C>(grad), In<C>(w), Sizes3d(c)}, bias);
  });
}

void ConvolutionGradWeight(const Queue& queue, const ConvShape& c, const Tensor& out, const Tensor& grad,
                           const Tensor& x) {
  if (TryConvolution(queue, ConvolutionProduct::kGradWeight, c, x, out, grad)) return;
  DispatchFloating(ResultType(out, {grad, x}), [&]<typename C>() {
    SumTerms<C>(queue, out, c.batch * c.windows(), GradWeightTerms<C>{In<C>(grad), {In<C>(x), Sizes3d(c)}});
  });
}

void ConvolutionGradBias(const Queue& queue, const Tensor& out, const Tensor& grad) {
  Shape dims = {0};
  for (int64_t dim = 2; dim < grad.rank(); ++dim) dims.push_back(dim);
  const RowView rows = RowsOf(grad, dims);
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    SumTerms<C>(queue, out, rows.length, ElementOfRow<C>{In<C>(grad, rows), rows.length});
  });
}

}  // namespace diopi::ops::both
