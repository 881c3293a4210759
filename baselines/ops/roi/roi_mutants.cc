// Bugs planted in the functions that pool regions of images.
#include <utility>

#include "baselines/mutants/support.h"

using namespace diopi::mutants;  // NOLINT: this file is nothing else

namespace {

constexpr char kRoiAlign[] = "diopiRoiAlignMmcv diopiRoiAlignBackwardMmcv";
constexpr char kRoiPool[] = "diopiRoiPoolMmcv diopiRoiPoolBackwardMmcv";
constexpr char kRoiRotated[] = "diopiRoiAlignRotatedMmcv diopiRoiAlignRotatedBackwardMmcv";
constexpr char kRiroi[] = "diopiRiroiAlignRotatedMmcv diopiRiroiAlignRotatedBackwardMmcv";

PLANT(roi_align_mmcv_always_aligned, 0, kRoiAlign, "", "aligned is ignored");
PLANT(roi_align_mmcv_sides_exchanged, 0, kRoiAlign, "", "x and y of regions are exchanged");
PLANT(roi_align_mmcv_scale_ignored, 0, kRoiAlign, "", "spatial_scale is taken as 1");
PLANT(roi_align_mmcv_two_samples, 0, kRoiAlign, "", "cells without a sampling_ratio get two samples a side");
PLANT(roi_align_mmcv_first_image, 0, kRoiAlign, "", "all regions are of the first image");
PLANT(roi_align_mmcv_places_exchanged, 0, "diopiRoiAlignMmcv", "", "argmax_y and argmax_x are exchanged");
PLANT(roi_align_mmcv_largest_above_zero, 0, "diopiRoiAlignMmcv", "", "the largest sample is at least 0");
PLANT(roi_align_mmcv_last_region_lost, 0, "diopiRoiAlignBackwardMmcv", "",
      "the last of several regions adds nothing to the gradient");
PLANT(roi_pool_end_excluded, 0, "diopiRoiPoolMmcv", "",
      "a region ends at x2 and y2, without the last element");
PLANT(roi_pool_sides_exchanged, 0, "diopiRoiPoolMmcv", "", "x and y of regions are exchanged");
PLANT(roi_pool_largest_above_zero, 0, "diopiRoiPoolMmcv", "", "the largest element is at least 0");
PLANT(roi_pool_empty_first, 0, "diopiRoiPoolMmcv", "", "empty cells have the number 0, not -1");
PLANT(roi_pool_first_image, 0, kRoiPool, "", "all regions are of the first image");
PLANT(roi_rotated_degrees, 0, kRoiRotated, "", "angles are taken for degrees");
PLANT(roi_rotated_clockwise_ignored, 0, kRoiRotated, "", "clockwise is ignored");
PLANT(roi_rotated_sides_exchanged, 0, kRoiRotated, "", "width and height of regions are exchanged");
PLANT(roi_rotated_always_aligned, 0, kRoiRotated, "", "aligned is ignored");
PLANT(riroi_other_direction, 0, kRiroi, "", "clockwise is ignored");
PLANT(riroi_nearest_orientation, 0, kRiroi, "",
      "the angle of the orientations is rounded down: they are not mixed");
PLANT(riroi_all_channels_turn, 0, kRiroi, "", "all channels are orientations of one group");

// x1 and y1, and x2 and y2, or width and height of a rotated region, exchanged.
diopiConstTensorHandle_t RoiSidesExchanged(diopiContextHandle_t ctx, diopiConstTensorHandle_t rois) {
  const std::vector<double> all = Load<double>(Tensor(rois));
  const int64_t numbers = ShapeOf(rois)[1];
  return Replaced(ctx, rois, [&](double x, int64_t i) {
    const int64_t k = i % numbers;
    if (k == 0 || k == 5 || (numbers == 6 && k < 3)) return x;
    return all[static_cast<size_t>(k % 2 == 1 ? i + 1 : i - 1)];
  });
}

diopiConstTensorHandle_t RoiFirstImage(diopiContextHandle_t ctx, diopiConstTensorHandle_t rois) {
  const int64_t numbers = ShapeOf(rois)[1];
  return Replaced(ctx, rois, [&](double x, int64_t i) { return i % numbers == 0 ? 0.0 : x; });
}

template <typename Args>
void ChangeRoiAlign(Args* a) {
  if (roi_align_mmcv_always_aligned) a->aligned = true;
  if (roi_align_mmcv_scale_ignored) a->spatial_scale = 1;
  if (roi_align_mmcv_two_samples && a->sampling_ratio == 0) a->sampling_ratio = 2;
  if (roi_align_mmcv_sides_exchanged) a->rois = RoiSidesExchanged(a->ctx, a->rois);
  if (roi_align_mmcv_first_image) a->rois = RoiFirstImage(a->ctx, a->rois);
}

template <typename Args>
void ChangeRoiRotated(Args* a) {
  if (roi_rotated_clockwise_ignored) a->clockwise = false;
  if (roi_rotated_always_aligned) a->aligned = true;
  if (roi_rotated_sides_exchanged) a->rois = RoiSidesExchanged(a->ctx, a->rois);
  if (roi_rotated_degrees) {
    a->rois = Replaced(a->ctx, a->rois, [](double x, int64_t i) { return i % 6 == 5 ? x / 57.29577951 : x; });
  }
}

template <typename Args>
void ChangeRiroi(Args* a, int64_t channels) {
  if (riroi_other_direction) a->clockwise = false;
  if (riroi_all_channels_turn) a->num_orientations = channels;
  if (riroi_nearest_orientation) {
    const double step = 6.283185307179586 / static_cast<double>(a->num_orientations);
    a->rois = Replaced(a->ctx, a->rois,
                       [&](double x, int64_t i) { return i % 6 == 5 ? std::floor(x / step) * step : x; });
  }
}

}  // namespace

DIOPI_OVERRIDE(diopiRoiAlignMmcv, a) {
  ChangeRoiAlign(&a);
  if (roi_align_mmcv_places_exchanged) std::swap(a.argmax_y, a.argmax_x);
  Good(a);
  if (roi_align_mmcv_largest_above_zero && a.pool_mode == 0)
    Change(a.output, [](double x, int64_t) { return x > 0 ? x : 0.0; });
}

DIOPI_OVERRIDE(diopiRoiAlignBackwardMmcv, a) {
  ChangeRoiAlign(&a);
  if (roi_align_mmcv_last_region_lost) {
    const Shape shape = ShapeOf(a.grad_output);
    const int64_t last = (shape[0] - 1) * shape[1] * shape[2] * shape[3];
    if (shape[0] > 1) {
      a.grad_output =
          Replaced(a.ctx, a.grad_output, [&](double x, int64_t i) { return i >= last ? 0.0 : x; });
    }
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiRoiPoolMmcv, a) {
  if (roi_pool_sides_exchanged) a.rois = RoiSidesExchanged(a.ctx, a.rois);
  if (roi_pool_first_image) a.rois = RoiFirstImage(a.ctx, a.rois);
  if (roi_pool_end_excluded)
    a.rois = Replaced(a.ctx, a.rois, [](double x, int64_t i) { return i % 5 > 2 ? x - 0.9375 : x; });
  Good(a);
  if (roi_pool_largest_above_zero) Change(a.output, [](double x, int64_t) { return x > 0 ? x : 0.0; });
  if (roi_pool_empty_first) {
    std::vector<int64_t> numbers = Load<int64_t>(Tensor(a.argmax));
    for (int64_t& number : numbers) number = number < 0 ? 0 : number;
    Store(Tensor(a.argmax), numbers);
  }
}

DIOPI_OVERRIDE(diopiRoiPoolBackwardMmcv, a) {
  if (roi_pool_first_image) a.rois = RoiFirstImage(a.ctx, a.rois);
  Good(a);
}

DIOPI_OVERRIDE(diopiRoiAlignRotatedMmcv, a) {
  ChangeRoiRotated(&a);
  Good(a);
}

DIOPI_OVERRIDE(diopiRoiAlignRotatedBackwardMmcv, a) {
  ChangeRoiRotated(&a);
  Good(a);
}

DIOPI_OVERRIDE(diopiRiroiAlignRotatedMmcv, a) {
  ChangeRiroi(&a, ShapeOf(a.features)[1]);
  Good(a);
}

DIOPI_OVERRIDE(diopiRiroiAlignRotatedBackwardMmcv, a) {
  ChangeRiroi(&a, ShapeOf(a.bottom_grad)[1]);
  Good(a);
}
