// Bugs injected into deformable pooling of regions.
#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is nothing else

constexpr char kDeformRoi[] = "diopiDeformRoiPoolMmcv diopiDeformRoiPoolBackwardMmcv";
BUG(deform_roi_offset_ignored, 0, kDeformRoi, "", "cells are not moved");
BUG(deform_roi_offset_exchanged, 0, kDeformRoi, "", "offsets of width and height are exchanged");
BUG(deform_roi_gamma_fixed, 0, kDeformRoi, "", "gamma is 0.125 always");
BUG(deform_roi_not_aligned, 0, kDeformRoi, "", "regions are not moved by half an element");
BUG(deform_roi_first_image, 0, kDeformRoi, "", "all regions are of the first image");
BUG(deform_roi_two_samples, 0, kDeformRoi, "", "two samples a side, whatever sampling_ratio");
BUG(deform_roi_first_channel, 0, "diopiDeformRoiPoolBackwardMmcv", "",
    "the gradient of offsets is that of the first channel");
BUG(deform_roi_gradient_unscaled, 0, "diopiDeformRoiPoolBackwardMmcv", "",
    "the gradient of offsets lacks gamma");

template <typename Args>
void DeformWrongly(Args a) {
  if (deform_roi_offset_ignored) a.offset = Replaced(a.ctx, a.offset, [](double, int64_t) { return 0.0; });
  if (deform_roi_offset_exchanged) {
    const std::vector<double> all = Load<double>(Tensor(a.offset));
    const int64_t cells = a.pooled_height * a.pooled_width;
    a.offset = Replaced(a.ctx, a.offset, [&](double, int64_t i) {
      return all[static_cast<size_t>(i / cells % 2 == 0 ? i + cells : i - cells)];
    });
  }
  if (deform_roi_gamma_fixed) a.gamma = 0.125F;
  if (deform_roi_two_samples) a.sampling_ratio = 2;
  if (deform_roi_not_aligned || deform_roi_first_image) {
    const double half = 0.5 / static_cast<double>(a.spatial_scale);
    a.rois = Replaced(a.ctx, a.rois, [&](double x, int64_t i) {
      if (i % 5 == 0) return deform_roi_first_image ? 0 : x;
      return deform_roi_not_aligned ? x + half : x;
    });
  }
  Good(a);
}

}  // namespace

DIOPI_OVERRIDE_FORM(diopiDeformRoiPoolMmcv, DeformWrongly)

DIOPI_OVERRIDE(diopiDeformRoiPoolBackwardMmcv, a) {
  DeformWrongly(a);
  if (deform_roi_gradient_unscaled)
    Change(a.grad_offset, [&](double x, int64_t) { return x / static_cast<double>(a.gamma); });
  if (!deform_roi_first_channel) return;
  const int64_t cells = a.pooled_height * a.pooled_width, channels = Tensor(a.input).size(1);
  a.grad_output = Replaced(a.ctx, a.grad_output,
                           [&](double x, int64_t i) { return i / cells % channels == 0 ? x : 0.0; });
  a.grad_input = NewTensor(a.ctx, Tensor(a.input).shape(), DtypeOf(a.input));
  Good(a);
}
