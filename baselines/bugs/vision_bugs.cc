// Bugs injected in grid_sample, roi_align and the operators beside them.
#include <algorithm>
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(grid_sample_align_corners, 0, "diopiGridSample", "",
    "-1 and 1 are the centres of the outermost elements, not their edges");
BUG(grid_sample_axes_exchanged, 0, "diopiGridSample", "",
    "the grid's components name the dimensions from the first one on");
BUG(roi_align_aligned_ignored, 0, "diopiRoiAlign diopiRoiAlignBackward", "",
    "regions are not moved by half an element");
BUG(roi_align_scale_ignored, 0, "diopiRoiAlign", "", "spatial_scale is taken as 1");
BUG(roi_align_adaptive_as_two, 0, "diopiRoiAlign diopiRoiAlignBackward", "",
    "without a sampling_ratio a cell has two samples a side, not as many as elements");
BUG(focal_alpha_exchanged, 0, "diopiSigmoidFocalLoss", "",
    "alpha weighs the negative labels, 1 - alpha the positive ones");
BUG(focal_gamma_2, 0, "diopiSigmoidFocalLoss diopiSigmoidFocalLossBackward", "", "gamma is taken as 2");
BUG(focal_gradient_of_sum, 0, "diopiSigmoidFocalLossBackward", "",
    "the gradient of the mean is not divided by the count");
BUG(normalize_eps_added, 0, "diopiNormalize", "", "eps is added to the norm, not its lower bound");
BUG(normalize_gradient_without_eps, 0, "diopiNormalizeBackward", "",
    "the gradient goes through the norm where eps has replaced it");
BUG(instance_norm_batch_statistics, 0, "diopiInstanceNorm", "",
    "the samples of a batch have their statistics in common");
BUG(instance_norm_bias_gradient_mean, 0, "diopiInstanceNormBackward", "",
    "the gradients of scale and bias are averaged over the samples");
BUG(layer_norm_gb_affine_needs_both, 0, "diopiLayerNormGB", "", "weight is ignored where bias is null");
BUG(layer_norm_gb_saves_variance, 0, "diopiLayerNormGB", "",
    "running_var is the variance, which the gradient does not expect");
BUG(ctc_mean_over_batch_alone, 0, "diopiCTCLoss", "", "the mean does not divide by the numbers of labels");
BUG(ctc_blank_first, 0, "diopiCTCLoss diopiCTCLossBackward", "", "blank is taken as 0");
BUG(ctc_gradient_not_zeroed, 0, "diopiCTCLossBackward", "",
    "the gradient of an infinite loss is not made zero");

BUG(conv3d_depth_reversed, 0, "diopiConvolution3d diopiConvTranspose3d", "",
    "the planes of a kernel are taken from the last to the first");
BUG(conv3d_gradient_depth_reversed, 0, "diopiConvolution3dBackward diopiConvTranspose3dBackward", "",
    "the gradient takes the planes of a kernel from the last to the first");

// A weight with its planes, [.., .., depth, height, width], in reverse.
diopiTensorHandle_t DepthReversed(diopiContextHandle_t ctx, diopiConstTensorHandle_t weight) {
  const Tensor w(weight);
  const std::vector<double> values = Load<double>(w);
  const int64_t depth = w.size(2), plane = w.size(3) * w.size(4);
  return Replaced(ctx, weight, [&](double, int64_t i) {
    const int64_t at = i / plane % depth;
    return values[static_cast<size_t>(i + (depth - 1 - 2 * at) * plane)];
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiGridSample, a) {
  const Tensor x(a.input);
  const int64_t dims = x.rank() - 2;
  const std::vector<double> given = Load<double>(Tensor(a.grid));
  if (grid_sample_align_corners) {
    a.grid = Replaced(a.ctx, a.grid, [&](double at, int64_t i) {
      const auto size = static_cast<double>(x.size(x.rank() - 1 - i % dims));
      return ((at + 1) * (size - 1) + 1) / size - 1;
    });
  }
  if (grid_sample_axes_exchanged) {
    a.grid = Replaced(a.ctx, a.grid, [&](double, int64_t i) {
      return given[static_cast<size_t>(i - i % dims + dims - 1 - i % dims)];
    });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiRoiAlign, a) {
  if (roi_align_aligned_ignored) a.aligned = false;
  if (roi_align_scale_ignored) a.spatial_scale = 1;
  if (roi_align_adaptive_as_two && a.sampling_ratio <= 0) a.sampling_ratio = 2;
  Good(a);
}

DIOPI_OVERRIDE(diopiRoiAlignBackward, a) {
  if (roi_align_aligned_ignored) a.aligned = false;
  if (roi_align_adaptive_as_two && a.sampling_ratio <= 0) a.sampling_ratio = 2;
  Good(a);
}

DIOPI_OVERRIDE(diopiSigmoidFocalLoss, a) {
  if (focal_alpha_exchanged) a.alpha = 1 - a.alpha;
  if (focal_gamma_2) a.gamma = 2;
  Good(a);
}

DIOPI_OVERRIDE(diopiSigmoidFocalLossBackward, a) {
  if (focal_gamma_2) a.gamma = 2;
  if (focal_gradient_of_sum && a.reduction == ReductionMean) a.reduction = ReductionSum;
  Good(a);
}

DIOPI_OVERRIDE(diopiNormalize, a) {
  Good(a);
  if (!normalize_eps_added) return;
  const std::vector<double> x = Load<double>(Tensor(a.input));
  Change(a.output, [&](double y, int64_t i) {
    const double divisor = x[static_cast<size_t>(i)] / y;
    return std::isfinite(divisor) && divisor > a.eps ? x[static_cast<size_t>(i)] / (divisor + a.eps) : y / 2;
  });
}

DIOPI_OVERRIDE(diopiNormalizeBackward, a) {
  if (!normalize_gradient_without_eps) return Good(a);
  Good(diopiNormalizeBackwardArgs{a.ctx, a.grad_input, a.grad_output, a.input, a.p, a.axis, 0.0});
}

DIOPI_OVERRIDE(diopiInstanceNorm, a) {
  const Tensor x(a.input);
  if (!instance_norm_batch_statistics || x.numel() == 0) return Good(a);
  const std::vector<double> values = Load<double>(x);
  const size_t sample = values.size() / static_cast<size_t>(x.size(0));
  a.input =
      Replaced(a.ctx, a.input, [&](double, int64_t i) { return values[static_cast<size_t>(i) % sample]; });
  Good(a);
}

DIOPI_OVERRIDE(diopiInstanceNormBackward, a) {
  Good(a);
  if (!instance_norm_bias_gradient_mean) return;
  const auto batch = static_cast<double>(std::max<int64_t>(Tensor(a.input).size(0), 1));
  for (diopiTensorHandle_t grad : {a.grad_scale, a.grad_bias}) {
    if (grad != nullptr) Change(grad, [&](double g, int64_t) { return g / batch; });
  }
}

DIOPI_OVERRIDE(diopiLayerNormGB, a) {
  if (layer_norm_gb_affine_needs_both && a.bias == nullptr) a.weight = nullptr;
  Good(a);
  if (layer_norm_gb_saves_variance) {
    Change(a.running_var, [&](double rstd, int64_t) { return 1 / (rstd * rstd) - a.eps; });
  }
}

DIOPI_OVERRIDE(diopiCTCLoss, a) {
  if (ctc_blank_first) a.blank = 0;
  if (ctc_mean_over_batch_alone && a.reduction == ReductionMean) {
    a.reduction = ReductionSum;
    Good(a);
    const auto batch = static_cast<double>(Tensor(a.log_probs).size(1));
    return Change(a.out, [&](double loss, int64_t) { return loss / batch; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiCTCLossBackward, a) {
  if (ctc_blank_first) a.blank = 0;
  if (ctc_gradient_not_zeroed) a.zero_infinity = false;
  Good(a);
}

DIOPI_OVERRIDE(diopiConvolution3d, a) {
  if (conv3d_depth_reversed) a.weight = DepthReversed(a.ctx, a.weight);
  Good(a);
}

DIOPI_OVERRIDE(diopiConvTranspose3d, a) {
  if (conv3d_depth_reversed) a.weight = DepthReversed(a.ctx, a.weight);
  Good(a);
}

DIOPI_OVERRIDE(diopiConvolution3dBackward, a) {
  if (conv3d_gradient_depth_reversed) a.weight = DepthReversed(a.ctx, a.weight);
  Good(a);
}

DIOPI_OVERRIDE(diopiConvTranspose3dBackward, a) {
  if (conv3d_gradient_depth_reversed) a.weight = DepthReversed(a.ctx, a.weight);
  Good(a);
}
