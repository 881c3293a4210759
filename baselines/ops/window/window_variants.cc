// The functions that look at windows of an image as other correct libraries compute them: other orders of
// addition, gradients scattered instead of gathered, zeros left alone that are there before the call.
#include <cmath>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(carafe_scattered,
        "diopiCarafeMmcv diopiCarafeNaiveMmcv diopiCarafeBackwardMmcv diopiCarafeNaiveBackwardMmcv", "",
        "each mask's element adds to the results, the last first");
VARIANT(correlation_scattered, "diopiCorrelationMmcv diopiCorrelationBackwardMmcv", "",
        "channels outside, fused multiply-add");
VARIANT(psa_zeros_left, "diopiPsamaskMmcv diopiPsamaskBackwardMmcv", "",
        "only what is not zero by definition is written");
VARIANT(masked_zeros_written, "diopiMaskedCol2imMmcv", "", "the whole image is cleared first");
VARIANT(upfirdn_scattered, "diopiUpfirdn2dOpMmcv", "", "each element adds to the results, in double");

template <typename C>
size_t At(C index) {
  return static_cast<size_t>(index);
}

// CARAFE, f(index of the feature in NCHW, of the mask, of the result) for every product, the last first.
template <typename Args, typename F>
void EachCarafe(const Args& a, const Shape& out, F&& f) {
  const int64_t k = a.kernel_size, channels = out[1], in_group = channels / a.group_size;
  const int64_t height = out[2] / a.scale_factor, width = out[3] / a.scale_factor;
  const int64_t masks = a.group_size * k * k;
  for (int64_t i = out[0] * masks * out[2] * out[3]; i-- > 0;) {
    const int64_t column = i % out[3], row = i / out[3] % out[2], mask = i / out[3] / out[2] % masks;
    const int64_t image = i / out[3] / out[2] / masks, tap = mask % (k * k);
    const int64_t y = row / a.scale_factor + tap / k - k / 2, x = column / a.scale_factor + tap % k - k / 2;
    if (y < 0 || x < 0 || y >= height || x >= width) continue;
    for (int64_t c = in_group; c-- > 0;) {
      const int64_t plane = image * channels + mask / (k * k) * in_group + c;
      f(At((plane * height + y) * width + x), At(i), At((plane * out[2] + row) * out[3] + column));
    }
  }
}

template <typename Args>
void CarafeForward(const Args& a) {
  const Tensor out(a.output);
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> features = Load<C>(Tensor(a.features)), masks = Load<C>(Tensor(a.masks));
    std::vector<C> sums(At(out.numel()));
    EachCarafe(a, out.shape(), [&](size_t feature, size_t mask, size_t result) {
      sums[result] = std::fma(features[feature], masks[mask], sums[result]);
    });
    Store(out, sums);
  });
}

template <typename C>
std::vector<C> ChannelsFirst(const Tensor& nhwc) {
  const std::vector<C> all = Load<C>(nhwc);
  std::vector<C> nchw(all.size());
  const int64_t channels = nhwc.size(3), places = nhwc.size(1) * nhwc.size(2);
  for (int64_t i = 0; i < nhwc.numel(); ++i) {
    const int64_t plane = i / channels / places * channels + i % channels;
    nchw[At(plane * places + i / channels % places)] = all[At(i)];
  }
  return nchw;
}

template <typename C, typename Args>
void CarafeGradients(const Args& a, const std::vector<C>& features) {
  const std::vector<C> masks = Load<C>(Tensor(a.masks)), grad = Load<C>(Tensor(a.top_grad));
  std::vector<C> to_features(features.size()), to_masks(masks.size());
  EachCarafe(a, Tensor(a.top_grad).shape(), [&](size_t feature, size_t mask, size_t result) {
    to_features[feature] += masks[mask] * grad[result];
    to_masks[mask] += features[feature] * grad[result];
  });
  Store(Tensor(a.bottom_grad), to_features);
  Store(Tensor(a.mask_grad), to_masks);
}

// Correlation: f(index in the first image, in the second, in the output) for every product.
template <typename Args, typename F>
void EachCorrelation(const Args& a, const Shape& in, const Shape& out, F&& f) {
  const int64_t taps = a.kH * a.kW;
  for (int64_t i = out[0] * in[1] * taps * out[1] * out[2] * out[3] * out[4]; i-- > 0;) {
    int64_t rest = i;
    const auto next = [&rest](int64_t size) {
      const int64_t at = rest % size;
      rest /= size;
      return at;
    };
    const int64_t column = next(out[4]), row = next(out[3]), dx = next(out[2]), dy = next(out[1]);
    const int64_t tap = next(taps), channel = next(in[1]), image = rest;
    const int64_t y = row * a.dH - a.padH + tap / a.kW * a.dilationH;
    const int64_t x = column * a.dW - a.padW + tap % a.kW * a.dilationW;
    const int64_t y2 = y + (dy - a.patchH / 2) * a.dilation_patchH;
    const int64_t x2 = x + (dx - a.patchW / 2) * a.dilation_patchW;
    if (y < 0 || x < 0 || y2 < 0 || x2 < 0 || y >= in[2] || y2 >= in[2] || x >= in[3] || x2 >= in[3])
      continue;
    const int64_t plane = image * in[1] + channel;
    f(At((plane * in[2] + y) * in[3] + x), At((plane * in[2] + y2) * in[3] + x2),
      At((((image * out[1] + dy) * out[2] + dx) * out[3] + row) * out[4] + column));
  }
}

// f(index in the masks, in the map) for every element that is seen.
template <typename Args, typename F>
void EachSeen(const Args& a, F&& f) {
  const int64_t places = a.h_feature * a.w_feature, count = a.h_mask * a.w_mask;
  for (int64_t i = 0; i < a.num_ * count * places; ++i) {
    const int64_t place = i % places, seen = i / places % count, image = i / places / count;
    const int64_t y = place / a.w_feature + seen / a.w_mask - a.half_h_mask;
    const int64_t x = place % a.w_feature + seen % a.w_mask - a.half_w_mask;
    if (y < 0 || x < 0 || y >= a.h_feature || x >= a.w_feature) continue;
    const int64_t element = y * a.w_feature + x;
    const int64_t first = a.psa_type == 0 ? element : place, last = a.psa_type == 0 ? place : element;
    f(At(i), At((image * places + first) * places + last));
  }
}

struct UpfirdnSide {
  int64_t size, kernel, up, down, before, after;
  int64_t Cells() const { return (size * up + before + after - kernel) / down + 1; }
  // The cell in which element `at` meets tap k of the flipped filter, or -1.
  int64_t Cell(int64_t at, int64_t k) const {
    const int64_t from = at * up + before - k;
    return from < 0 || from % down != 0 || from / down >= Cells() ? -1 : from / down;
  }
};

}  // namespace

}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: overrides are global functions, or nobody can call them

DIOPI_OVERRIDE(diopiCarafeNaiveMmcv, a) {
  if (!carafe_scattered) return Good(a);
  CarafeForward(a);
}

DIOPI_OVERRIDE(diopiCarafeMmcv, a) {
  if (!carafe_scattered) return Good(a);
  CarafeForward(a);
}

DIOPI_OVERRIDE(diopiCarafeNaiveBackwardMmcv, a) {
  if (!carafe_scattered) return Good(a);
  DispatchReal(Tensor(a.masks).dtype(),
               [&]<typename C>() { CarafeGradients<C>(a, Load<C>(Tensor(a.features))); });
}

DIOPI_OVERRIDE(diopiCarafeBackwardMmcv, a) {
  if (!carafe_scattered) return Good(a);
  DispatchReal(Tensor(a.masks).dtype(),
               [&]<typename C>() { CarafeGradients<C>(a, ChannelsFirst<C>(Tensor(a.rfeatures))); });
}

DIOPI_OVERRIDE(diopiCorrelationMmcv, a) {
  if (!correlation_scattered) return Good(a);
  const Tensor out(a.output), first(a.input1);
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(first), y = Load<C>(Tensor(a.input2));
    std::vector<C> sums(At(out.numel()));
    EachCorrelation(a, first.shape(), out.shape(),
                    [&](size_t i, size_t j, size_t k) { sums[k] = std::fma(x[i], y[j], sums[k]); });
    Store(out, sums);
  });
}

DIOPI_OVERRIDE(diopiCorrelationBackwardMmcv, a) {
  if (!correlation_scattered) return Good(a);
  const Tensor grad(a.grad_output), first(a.input1);
  DispatchReal(grad.dtype(), [&]<typename C>() {
    const std::vector<C> x = Load<C>(first), y = Load<C>(Tensor(a.input2)), g = Load<C>(grad);
    std::vector<C> gx(x.size()), gy(y.size());
    EachCorrelation(a, first.shape(), grad.shape(), [&](size_t i, size_t j, size_t k) {
      gx[i] = std::fma(g[k], y[j], gx[i]);
      gy[j] = std::fma(g[k], x[i], gy[j]);
    });
    Store(Tensor(a.grad_input1), gx);
    Store(Tensor(a.grad_input2), gy);
  });
}

DIOPI_OVERRIDE(diopiPsamaskMmcv, a) {
  if (!psa_zeros_left) return Good(a);
  DispatchReal(Tensor(a.output).dtype(), [&]<typename C>() {
    const std::vector<C> masks = Load<C>(Tensor(a.input));
    std::vector<C> map = Load<C>(Tensor(a.output));
    EachSeen(a, [&](size_t mask, size_t at) { map[at] = masks[mask]; });
    Store(Tensor(a.output), map);
  });
}

DIOPI_OVERRIDE(diopiPsamaskBackwardMmcv, a) {
  if (!psa_zeros_left) return Good(a);
  DispatchReal(Tensor(a.grad_input).dtype(), [&]<typename C>() {
    const std::vector<C> map = Load<C>(Tensor(a.grad_output));
    std::vector<C> masks = Load<C>(Tensor(a.grad_input));
    EachSeen(a, [&](size_t mask, size_t at) { masks[mask] = map[at]; });
    Store(Tensor(a.grad_input), masks);
  });
}

DIOPI_OVERRIDE(diopiMaskedCol2imMmcv, a) {
  if (masked_zeros_written) Store(Tensor(a.im), std::vector<double>(At(Tensor(a.im).numel())));
  Good(a);
}

DIOPI_OVERRIDE(diopiUpfirdn2dOpMmcv, a) {
  Good(a);
  if (!upfirdn_scattered) return;
  const Tensor x(a.input), kernel(a.kernel), out(*a.out);
  const UpfirdnSide rows{x.size(2), kernel.size(0), a.up_y, a.down_y, a.pad_y0, a.pad_y1};
  const UpfirdnSide columns{x.size(3), kernel.size(1), a.up_x, a.down_x, a.pad_x0, a.pad_x1};
  DispatchReal(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x), taps = Load<C>(kernel);
    std::vector<Wide<C>> sums(At(out.numel()));
    for (int64_t i = 0; i < x.numel(); ++i) {
      const int64_t plane = i / columns.size / rows.size;
      for (int64_t k = kernel.numel(); k-- > 0;) {
        const int64_t row = rows.Cell(i / columns.size % rows.size, rows.kernel - 1 - k / columns.kernel);
        const int64_t column = columns.Cell(i % columns.size, columns.kernel - 1 - k % columns.kernel);
        if (row < 0 || column < 0) continue;
        sums[At((plane * rows.Cells() + row) * columns.Cells() + column)] +=
            static_cast<Wide<C>>(values[At(i)]) * static_cast<Wide<C>>(taps[At(k)]);
      }
    }
    std::vector<C> results;
    for (const Wide<C>& sum : sums) results.push_back(static_cast<C>(sum));
    Store(out, results);
  });
}
