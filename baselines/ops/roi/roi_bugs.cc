// Bugs injected in the functions that pool regions of images.
#include <utility>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kRoiAlign[] = "diopiRoiAlignMmcv diopiRoiAlignBackwardMmcv";
constexpr char kRoiPool[] = "diopiRoiPoolMmcv diopiRoiPoolBackwardMmcv";
constexpr char kRoiRotated[] = "diopiRoiAlignRotatedMmcv diopiRoiAlignRotatedBackwardMmcv";
constexpr char kFeatureAlign[] = "diopiRotatedFeatureAlignMmcv diopiRotatedFeatureAlignBackwardMmcv";
constexpr char kBorderAlign[] = "diopiBorderAlignMmcv diopiBorderAlignBackwardMmcv";
constexpr char kPrroi[] = "diopiPrroiPoolMmcv diopiPrroiPoolbackwardMmcv diopiPrroiPoolCoorBackwardMmcv";
constexpr char kRiroi[] = "diopiRiroiAlignRotatedMmcv diopiRiroiAlignRotatedBackwardMmcv";

BUG(roi_align_mmcv_always_aligned, 0, kRoiAlign, "", "aligned is ignored");
BUG(roi_align_mmcv_sides_exchanged, 0, kRoiAlign, "", "x and y of regions are exchanged");
BUG(roi_align_mmcv_scale_ignored, 0, kRoiAlign, "", "spatial_scale is taken as 1");
BUG(roi_align_mmcv_two_samples, 0, kRoiAlign, "", "cells without a sampling_ratio get two samples a side");
BUG(roi_align_mmcv_first_image, 0, kRoiAlign, "", "all regions are of the first image");
BUG(roi_align_mmcv_places_exchanged, 0, "diopiRoiAlignMmcv", "", "argmax_y and argmax_x are exchanged");
BUG(roi_align_mmcv_largest_above_zero, 0, "diopiRoiAlignMmcv", "", "the largest sample is at least 0");
BUG(roi_align_mmcv_last_region_lost, 0, "diopiRoiAlignBackwardMmcv", "",
    "the last of several regions adds nothing to the gradient");
BUG(roi_pool_end_excluded, 0, "diopiRoiPoolMmcv", "", "a region ends at x2 and y2, without the last element");
BUG(roi_pool_sides_exchanged, 0, "diopiRoiPoolMmcv", "", "x and y of regions are exchanged");
BUG(roi_pool_largest_above_zero, 0, "diopiRoiPoolMmcv", "", "the largest element is at least 0");
BUG(roi_pool_empty_first, 0, "diopiRoiPoolMmcv", "", "empty cells have the number 0, not -1");
BUG(roi_pool_first_image, 0, kRoiPool, "", "all regions are of the first image");
BUG(roi_rotated_degrees, 0, kRoiRotated, "", "angles are taken for degrees");
BUG(roi_rotated_clockwise_ignored, 0, kRoiRotated, "", "clockwise is ignored");
BUG(roi_rotated_sides_exchanged, 0, kRoiRotated, "", "width and height of regions are exchanged");
BUG(roi_rotated_always_aligned, 0, kRoiRotated, "", "aligned is ignored");
BUG(riroi_other_direction, 0, kRiroi, "", "clockwise is ignored");
BUG(riroi_nearest_orientation, 0, kRiroi, "",
    "the angle of the orientations is rounded down: they are not mixed");
BUG(riroi_all_channels_turn, 0, kRiroi, "", "all channels are orientations of one group");
BUG(feature_align_center_alone, 0, kFeatureAlign, "", "five points are taken as one");
BUG(feature_align_column_first, 0, kFeatureAlign, "", "row and column of boxes are exchanged");
BUG(feature_align_scale_ignored, 0, kFeatureAlign, "", "spatial_scale is taken as 1");
BUG(feature_align_other_direction, 0, kFeatureAlign, "", "boxes are turned in the other direction");
BUG(feature_align_features_lost, 0, "diopiRotatedFeatureAlignMmcv", "",
    "the place's own features are not added");
BUG(border_align_step_too_short, 0, "diopiBorderAlignMmcv", "",
    "boxes are one step narrower and lower, from their first corner");
BUG(border_align_sides_exchanged, 0, kBorderAlign, "", "x and y of boxes are exchanged");
BUG(border_align_numbers_from_one, 0, "diopiBorderAlignMmcv", "", "samples are numbered from 1");
BUG(border_align_gradient_to_corner, 0, "diopiBorderAlignBackwardMmcv", "",
    "the gradient goes to the first sample of each border");
BUG(prroi_end_included, 0, kPrroi, "", "a region ends one element after x2 and y2");
BUG(prroi_scale_ignored, 0, kPrroi, "", "spatial_scale is taken as 1");
BUG(prroi_first_image, 0, kPrroi, "", "all regions are of the first image");
BUG(prroi_corners_without_mean, 0, "diopiPrroiPoolCoorBackwardMmcv", "",
    "the gradient of regions leaves out that the cell's size changes");
BUG(prroi_corners_not_scaled, 0, "diopiPrroiPoolCoorBackwardMmcv", "",
    "the gradient of regions is that of scaled coordinates");

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

template <typename Args>
void ChangeFeatureAlign(Args* a) {
  if (feature_align_center_alone) a->points = 1;
  if (feature_align_scale_ignored) a->spatial_scale = 1;
  const std::vector<double> all = Load<double>(Tensor(a->best_bboxes));
  const auto changed = [&](double x, int64_t i) {
    if (feature_align_column_first && i % 5 < 2) return all[static_cast<size_t>(i % 5 == 0 ? i + 1 : i - 1)];
    return feature_align_other_direction && i % 5 == 4 ? -x : x;
  };
  if (static_cast<bool>(feature_align_column_first) || static_cast<bool>(feature_align_other_direction))
    a->best_bboxes = Replaced(a->ctx, a->best_bboxes, changed);
}

template <typename Args>
void ChangeBorderAlign(Args* a) {
  if (!border_align_sides_exchanged) return;
  const std::vector<double> all = Load<double>(Tensor(a->boxes));
  a->boxes = Replaced(a->ctx, a->boxes, [&](double, int64_t i) {
    return all[static_cast<size_t>(i % 2 == 0 ? i + 1 : i - 1)];
  });
}

template <typename Args>
void ChangePrroi(Args* a) {
  if (prroi_scale_ignored) a->spatial_scale = 1;
  if (prroi_first_image) a->rois = RoiFirstImage(a->ctx, a->rois);
  if (prroi_end_included)
    a->rois = Replaced(a->ctx, a->rois, [](double x, int64_t i) { return i % 5 > 2 ? x + 1 : x; });
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

DIOPI_OVERRIDE(diopiRotatedFeatureAlignMmcv, a) {
  ChangeFeatureAlign(&a);
  Good(a);
  if (feature_align_features_lost) {
    const std::vector<double> own = Load<double>(Tensor(a.features));
    Change(a.output, [&](double x, int64_t i) { return x - own[static_cast<size_t>(i)]; });
  }
}

DIOPI_OVERRIDE(diopiRotatedFeatureAlignBackwardMmcv, a) {
  ChangeFeatureAlign(&a);
  Good(a);
}

DIOPI_OVERRIDE(diopiBorderAlignMmcv, a) {
  ChangeBorderAlign(&a);
  if (border_align_step_too_short && a.pool_size > 1) {
    const double part = 1 - 1 / static_cast<double>(a.pool_size);
    const std::vector<double> all = Load<double>(Tensor(a.boxes));
    a.boxes = Replaced(a.ctx, a.boxes, [&](double x, int64_t i) {
      const double low = all[static_cast<size_t>(i % 4 < 2 ? i : i - 2)];
      return i % 4 < 2 ? x : low + (x - low) * part;
    });
    --a.pool_size;
  }
  Good(a);
  if (border_align_numbers_from_one) {
    std::vector<int64_t> numbers = Load<int64_t>(Tensor(a.argmax_idx));
    for (int64_t& number : numbers) ++number;
    Store(Tensor(a.argmax_idx), numbers);
  }
}

DIOPI_OVERRIDE(diopiBorderAlignBackwardMmcv, a) {
  ChangeBorderAlign(&a);
  if (border_align_gradient_to_corner) {
    diopiTensorHandle_t zeros = NewTensor(a.ctx, ShapeOf(a.argmax_idx), DtypeOf(a.argmax_idx));
    Store(Tensor(zeros), std::vector<int64_t>(static_cast<size_t>(NumElements(zeros))));
    a.argmax_idx = zeros;
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiPrroiPoolMmcv, a) {
  ChangePrroi(&a);
  Good(a);
}

DIOPI_OVERRIDE(diopiPrroiPoolbackwardMmcv, a) {
  ChangePrroi(&a);
  Good(a);
}

DIOPI_OVERRIDE(diopiPrroiPoolCoorBackwardMmcv, a) {
  ChangePrroi(&a);
  if (prroi_corners_without_mean) a.output = Replaced(a.ctx, a.output, [](double, int64_t) { return 0.0; });
  Good(a);
  if (prroi_corners_not_scaled)
    Change(a.grad_rois, [&](double x, int64_t) { return x / static_cast<double>(a.spatial_scale); });
}
