// Bugs injected in the functions that look at windows of an image.
#include <utility>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kCarafe[] =
    "diopiCarafeMmcv diopiCarafeNaiveMmcv diopiCarafeBackwardMmcv diopiCarafeNaiveBackwardMmcv";
constexpr char kCarafeGrad[] = "diopiCarafeBackwardMmcv diopiCarafeNaiveBackwardMmcv";
constexpr char kCorrelation[] = "diopiCorrelationMmcv diopiCorrelationBackwardMmcv";
constexpr char kPsa[] = "diopiPsamaskMmcv diopiPsamaskBackwardMmcv";
constexpr char kIm2col[] = "diopiMaskedIm2colMmcv";
constexpr char kCol2im[] = "diopiMaskedCol2imMmcv";
constexpr char kUpfirdn[] = "diopiUpfirdn2dOpMmcv";

BUG(carafe_taps_transposed, 0, kCarafe, "", "the taps of a mask are counted column by column");
BUG(carafe_taps_reversed, 0, kCarafe, "", "the window is flipped: a convolution");
BUG(carafe_first_group, 0, kCarafe, "", "the masks of the first group serve all channels");
BUG(carafe_grad_overwrites, 0, kCarafeGrad, "",
    "of several new elements of one place the last gradient stays");
BUG(carafe_channel_tail_lost, 0, kCarafeGrad, "", "channels after the last whole warp of 32 are lost");
BUG(carafe_features_not_transposed, 0, "diopiCarafeBackwardMmcv", "", "rfeatures is read channels first");
BUG(correlation_images_exchanged, 0, kCorrelation, "", "the first image is displaced, not the second");
BUG(correlation_spread_ignored, 0, kCorrelation, "", "dilation_patch is taken as 1");
BUG(correlation_channel_tail_lost, 0, kCorrelation, "", "channels after the last whole warp of 32 are lost");
BUG(correlation_grad_same_direction, 0, "diopiCorrelationBackwardMmcv", "",
    "the gradient of the second image displaces the first in the second's direction");
BUG(psa_types_exchanged, 0, kPsa, "", "collect and distribute are exchanged");
BUG(psa_half_rounded_up, 0, kPsa, "", "the middle of a mask of even size is rounded up");
BUG(psa_mask_transposed, 0, kPsa, "", "a mask's elements are counted column by column");
BUG(masked_places_exchanged, 0, kIm2col, "", "rows and columns of the places are exchanged");
BUG(masked_pad_of_height, 0, kIm2col, "", "the padding of the height serves the width, too");
BUG(masked_window_transposed, 0, kIm2col, "", "a window's elements are counted column by column");
BUG(masked_columns_transposed, 0, kCol2im, "", "the matrix is read with a row for each place");
BUG(masked_last_element_written, 0, kCol2im, "",
    "the last element of the image gets the first place's value, too");
BUG(upfirdn_not_flipped, 0, kUpfirdn, "", "the filter is not flipped: a correlation");
BUG(upfirdn_pads_exchanged, 0, kUpfirdn, "", "the padding before and after the image is exchanged");
BUG(upfirdn_second_of_pair, 0, kUpfirdn, "", "thinning out keeps the second element of each run");
BUG(upfirdn_crop_as_zero, 0, kUpfirdn, "", "negative padding is taken as zero");

// The elements of a [.., rows, columns, places] tensor with rows and columns of each block exchanged.
diopiTensorHandle_t TransposedBlocks(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, int64_t rows,
                                     int64_t columns, int64_t places) {
  const std::vector<double> all = Load<double>(Tensor(tensor));
  return Replaced(ctx, tensor, [&](double, int64_t i) {
    const int64_t tap = i / places % (rows * columns), block = i / places / (rows * columns);
    const int64_t other = tap % columns * rows + tap / columns;
    return all[static_cast<size_t>((block * rows * columns + other) * places + i % places)];
  });
}

template <typename Args>
void WrongMasks(Args& a) {
  const Tensor masks(a.masks);
  const int64_t k = a.kernel_size, places = masks.size(2) * masks.size(3);
  if (carafe_taps_transposed) a.masks = TransposedBlocks(a.ctx, a.masks, k, k, places);
  if (!carafe_taps_reversed && !carafe_first_group) return;
  const std::vector<double> all = Load<double>(masks);
  a.masks = Replaced(a.ctx, a.masks, [&](double, int64_t i) {
    const int64_t tap = i / places % (k * k), group = i / places / (k * k), image = group / a.group_size;
    const int64_t from_group = carafe_first_group ? image * a.group_size : group;
    const int64_t from = carafe_first_group ? tap : k * k - 1 - tap;
    return all[static_cast<size_t>((from_group * k * k + from) * places + i % places)];
  });
}

// Channels from the 32nd on are zero where there are more than 32.
diopiTensorHandle_t WithoutTail(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, int64_t channels,
                                int64_t step) {
  return Replaced(ctx, tensor, [&](double x, int64_t i) {
    return channels > 32 && i / step % channels >= channels / 32 * 32 ? 0.0 : x;
  });
}

template <typename Args>
void WrongCarafeGrad(Args& a, diopiConstTensorHandle_t Args::*features, bool nhwc) {
  WrongMasks(a);
  const Tensor of(a.*features);
  if (carafe_channel_tail_lost) {
    const int64_t step = nhwc ? 1 : of.size(2) * of.size(3);
    a.*features = WithoutTail(a.ctx, a.*features, of.size(nhwc ? 3 : 1), step);
  }
  if (carafe_features_not_transposed && nhwc) {
    const std::vector<double> all = Load<double>(of);
    const int64_t channels = of.size(3), places = of.size(1) * of.size(2);
    a.*features = Replaced(a.ctx, a.*features, [&](double, int64_t i) {
      const int64_t channel = i % channels, place = i / channels % places, image = i / channels / places;
      return all[static_cast<size_t>((image * channels + channel) * places + place)];
    });
  }
}

// The gradient of the features from the last new element of each place only.
template <typename Args>
Args LastOfEachPlace(const Args& a) {
  Args last = a;
  const int64_t columns = Tensor(a.top_grad).size(3), rows = Tensor(a.top_grad).size(2),
                scale = a.scale_factor;
  last.top_grad = Replaced(a.ctx, a.top_grad, [&](double x, int64_t i) {
    return i % columns % scale == scale - 1 && i / columns % rows % scale == scale - 1 ? x : 0.0;
  });
  last.mask_grad = NewTensor(a.ctx, Tensor(a.masks).shape(), Tensor(a.masks).dtype());
  return last;
}

template <typename Args>
void WrongCorrelation(Args& a) {
  if (correlation_images_exchanged) std::swap(a.input1, a.input2);
  if (correlation_spread_ignored) a.dilation_patchH = a.dilation_patchW = 1;
  if (correlation_channel_tail_lost) {
    const Tensor x(a.input1);
    a.input1 = WithoutTail(a.ctx, a.input1, x.size(1), x.size(2) * x.size(3));
    a.input2 = WithoutTail(a.ctx, a.input2, x.size(1), x.size(2) * x.size(3));
  }
}

template <typename Args>
void WrongPsa(Args& a) {
  if (psa_types_exchanged) a.psa_type = 1 - a.psa_type;
  if (psa_half_rounded_up) {
    a.half_h_mask = a.h_mask / 2;
    a.half_w_mask = a.w_mask / 2;
  }
}

}  // namespace

DIOPI_OVERRIDE(diopiCarafeNaiveMmcv, a) {
  WrongMasks(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiCarafeMmcv, a) {
  WrongMasks(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiCarafeNaiveBackwardMmcv, a) {
  WrongCarafeGrad(a, &diopiCarafeNaiveBackwardMmcvArgs::features, false);
  Good(a);
  if (carafe_grad_overwrites) Good(LastOfEachPlace(a));
}

DIOPI_OVERRIDE(diopiCarafeBackwardMmcv, a) {
  WrongCarafeGrad(a, &diopiCarafeBackwardMmcvArgs::rfeatures, true);
  Good(a);
  if (carafe_grad_overwrites) Good(LastOfEachPlace(a));
}

DIOPI_OVERRIDE(diopiCorrelationMmcv, a) {
  WrongCorrelation(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiCorrelationBackwardMmcv, a) {
  WrongCorrelation(a);
  Good(a);
  if (!correlation_grad_same_direction) return;
  auto other = a;
  std::swap(other.input1, other.input2);
  other.grad_input1 = a.grad_input2;
  other.grad_input2 = NewTensor(a.ctx, Tensor(a.input1).shape(), Tensor(a.input1).dtype());
  Good(other);
}

DIOPI_OVERRIDE(diopiPsamaskMmcv, a) {
  WrongPsa(a);
  if (psa_mask_transposed)
    a.input = TransposedBlocks(a.ctx, a.input, a.h_mask, a.w_mask, a.h_feature * a.w_feature);
  Good(a);
}

DIOPI_OVERRIDE(diopiPsamaskBackwardMmcv, a) {
  WrongPsa(a);
  Good(a);
  if (!psa_mask_transposed) return;
  const auto transposed =
      TransposedBlocks(a.ctx, a.grad_input, a.h_mask, a.w_mask, a.h_feature * a.w_feature);
  Store(Tensor(a.grad_input), Load<double>(Tensor(transposed)));
}

DIOPI_OVERRIDE(diopiMaskedIm2colMmcv, a) {
  if (masked_places_exchanged) std::swap(a.mask_h_idx, a.mask_w_idx);
  if (masked_pad_of_height) a.pad_w = a.pad_h;
  Good(a);
  if (!masked_window_transposed) return;
  const auto transposed =
      TransposedBlocks(a.ctx, a.col, a.kernel_h, a.kernel_w, Tensor(a.mask_h_idx).numel());
  Store(Tensor(a.col), Load<double>(Tensor(transposed)));
}

DIOPI_OVERRIDE(diopiMaskedCol2imMmcv, a) {
  if (masked_columns_transposed) {
    a.col = TransposedBlocks(a.ctx, a.col, a.channels, Tensor(a.mask_h_idx).numel(), 1);
  }
  Good(a);
  if (!masked_last_element_written) return;
  const int64_t last = Tensor(a.im).numel() - 1;
  const double first = Load<double>(Tensor(a.col))[0];
  Change(a.im, [&](double x, int64_t i) { return i == last ? first : x; });
}

DIOPI_OVERRIDE(diopiUpfirdn2dOpMmcv, a) {
  if (upfirdn_not_flipped) {
    const std::vector<double> all = Load<double>(Tensor(a.kernel));
    a.kernel = Replaced(a.ctx, a.kernel,
                        [&](double, int64_t i) { return all[all.size() - 1 - static_cast<size_t>(i)]; });
  }
  if (upfirdn_pads_exchanged) {
    std::swap(a.pad_x0, a.pad_x1);
    std::swap(a.pad_y0, a.pad_y1);
  }
  if (upfirdn_second_of_pair && a.down_x > 1) {
    --a.pad_x0;
    ++a.pad_x1;
  }
  if (upfirdn_second_of_pair && a.down_y > 1) {
    --a.pad_y0;
    ++a.pad_y1;
  }
  if (upfirdn_crop_as_zero) {
    for (int64_t* pad : {&a.pad_x0, &a.pad_x1, &a.pad_y0, &a.pad_y1}) *pad = *pad < 0 ? 0 : *pad;
  }
  Good(a);
}
