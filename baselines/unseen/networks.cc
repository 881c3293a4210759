// Bugs in matrix products, convolutions, pooling, normalization, losses, interpolation and optimizers.
#include "baselines/unseen/faults.h"

using namespace diopi::unseen;  // NOLINT: this file is nothing else

BUG(mm_depth_tile_tail, 0, "diopiMm", "",
    "products after the last whole tile of 8 are left out of a deeper sum");
DIOPI_OVERRIDE(diopiMm, a) {
  const int64_t whole = Length(a.input, 1) / 8 * 8;
  if (mm_depth_tile_tail && whole > 0) {
    a.input = Head(a.ctx, a.input, 1, whole);
    a.mat2 = Head(a.ctx, a.mat2, 0, whole);
  }
  Good(a);
}

BUG(bmm_batches_beyond_eight, 0, "diopiBmm", "",
    "the second factors of the batches from the ninth on are the first ones");
DIOPI_OVERRIDE(diopiBmm, a) {
  if (bmm_batches_beyond_eight && Length(a.mat2, 0) > 8) {
    a.mat2 = Taken(a.ctx, a.mat2, 0, Length(a.mat2, 0), [](int64_t i) { return i % 8; });
  }
  Good(a);
}

BUG(baddbmm_zero_beta, 0, "diopiBaddbmm", "", "with beta 0, NaN and infinity of the input reach the result");
DIOPI_OVERRIDE(diopiBaddbmm, a) {
  Good(a);
  if (!baddbmm_zero_beta || a.beta != 0) return;
  const std::vector<double> x = ValuesAs(a.input, a.out);
  Change(a.out, [&](double y, int64_t i) { return y + 0 * At(x, i); });
}

BUG(addmm_column_as_row, 0, "diopiAddmm", "", "an input of one column is read as if it were a row");
DIOPI_OVERRIDE(diopiAddmm, a) {
  if (addmm_column_as_row && Rank(a.input) == 2 && Length(a.input, 1) == 1 && Length(a.input, 0) > 1) {
    const std::vector<double> x = Values(a.input);
    diopiTensorHandle_t full = NewTensor(a.ctx, ShapeOf(a.out), DtypeOf(a.input));
    const int64_t columns = Length(a.out, 1), rows = Length(a.input, 0);
    Change(full, [&](double, int64_t i) { return At(x, i % columns % rows); });
    a.input = full;
  }
  Good(a);
}

BUG(matmul_single_batch, 0, "diopiMatmul", "", "an input of one batch is multiplied by the first batch only");
DIOPI_OVERRIDE(diopiMatmul, a) {
  const bool single = Rank(a.input) == 3 && Rank(a.other) == 3 && Length(a.input, 0) == 1;
  if (matmul_single_batch && single) {
    a.other = Taken(a.ctx, a.other, 0, Length(a.other, 0), [](int64_t) { return 0; });
  }
  Good(a);
}

BUG(linear_bias_of_vector, 0, "diopiLinear", "", "the bias is not added to an input of one dimension");
DIOPI_OVERRIDE(diopiLinear, a) {
  if (linear_bias_of_vector && Rank(a.input) == 1) a.bias = nullptr;
  Good(a);
}

BUG(linear_backward_bias_first_batch, 0, "diopiLinearBackward", "",
    "of inputs of three dimensions, the bias gradient sums the first batch only");
DIOPI_OVERRIDE(diopiLinearBackward, a) {
  const bool batched = a.grad_bias != nullptr && Rank(a.input) == 3 && Length(a.input, 0) > 1;
  if (!linear_backward_bias_first_batch || !batched) return Good(a);
  diopiLinearBackwardArgs bias = a;
  a.grad_bias = nullptr;
  Good(a);
  bias.grad_input = bias.grad_weight = nullptr;
  bias.input = Head(a.ctx, a.input, 0, 1);
  bias.grad_output = Head(a.ctx, a.grad_output, 0, 1);
  Good(bias);
}

BUG(convolution_depthwise_bias, 0, "diopiConvolution2d", "", "the depthwise kernel adds no bias");
DIOPI_OVERRIDE(diopiConvolution2d, a) {
  const bool depthwise = a.groups > 1 && a.groups == Length(a.input, -3);
  if (convolution_depthwise_bias && depthwise) a.bias = nullptr;
  Good(a);
}

BUG(convolution_backward_uncovered_row, 0, "diopiConvolution2dBackward", "",
    "the gradient of a last row that no window reaches is not written");
DIOPI_OVERRIDE(diopiConvolution2dBackward, a) {
  if (!convolution_backward_uncovered_row || a.grad_input == nullptr) return Good(a);
  const Before before(a.ctx, a.grad_input);
  Good(a);
  const int64_t stride = a.stride.data[0], padding = a.padding.data[0], dilation = a.dilation.data[0];
  const int64_t last =
      (Length(a.grad_output, -2) - 1) * stride - padding + dilation * (Length(a.weight, -2) - 1);
  before.Keep([&](int64_t i) { return Coordinate(a.grad_input, i, -2) > last; });
}

BUG(transposed_convolution_output_padding, 0, "diopiConvTranspose2d", "",
    "rows that only the output padding makes are 0, without the bias");
DIOPI_OVERRIDE(diopiConvTranspose2d, a) {
  Good(a);
  const int64_t rows = a.output_padding.len == 0 ? 0 : a.output_padding.data[0];
  if (!transposed_convolution_output_padding || rows == 0) return;
  Zero(a.out, [&](int64_t i) { return Coordinate(a.out, i, -2) >= Length(a.out, -2) - rows; });
}

BUG(cholesky_upper_of_batch, 0, "diopiCholesky", "",
    "from the second matrix of a batch on, the lower factor is returned");
DIOPI_OVERRIDE(diopiCholesky, a) {
  Good(a);
  if (!cholesky_upper_of_batch || !a.upper || Rank(a.out) < 3) return;
  const Before upper(a.ctx, a.out);
  const int64_t n = Length(a.out, -1);
  for (int64_t i = n * n; i < NumElements(a.out); ++i) {
    CopyElement(a.out, i, upper.copy(), i / (n * n) * n * n + i % n * n + i / n % n);
  }
}

BUG(triangular_solve_unit_transposed, 0, "diopiTriangularSolve", "",
    "the transposed form divides by the diagonal also where it counts as 1");
DIOPI_OVERRIDE(diopiTriangularSolve, a) {
  if (triangular_solve_unit_transposed && a.transpose) a.unitriangular = false;
  Good(a);
}

BUG(layer_norm_weight_of_last_dim, 0, "diopiLayerNorm", "",
    "over several dimensions, the weight is repeated by the index in the last one");
BUG(layer_norm_cached_eps, 0, "diopiLayerNorm", "", "the eps of the first call is kept for all later ones");
DIOPI_OVERRIDE(diopiLayerNorm, a) {
  static Plans<int, double> plans;
  if (layer_norm_cached_eps) a.eps = plans.Get(0, a.eps);
  if (layer_norm_weight_of_last_dim && a.weight != nullptr && a.normalized_shape.len > 1) {
    const std::vector<double> w = Values(a.weight);
    const int64_t width = Length(a.weight, -1);
    a.weight = Replaced(a.ctx, a.weight, [&](double, int64_t i) { return At(w, i % width); });
  }
  Good(a);
}

BUG(group_norm_weight_of_group, 0, "diopiGroupNorm", "", "the weight is read by group instead of by channel");
DIOPI_OVERRIDE(diopiGroupNorm, a) {
  if (group_norm_weight_of_group && a.weight != nullptr && NumElements(a.weight) > 0) {
    const int64_t per_group = std::max<int64_t>(NumElements(a.weight) / a.num_groups, 1);
    a.weight = Taken(a.ctx, a.weight, 0, NumElements(a.weight), [&](int64_t i) { return i / per_group; });
  }
  Good(a);
}

BUG(batch_norm_biased_running_var, 0, "diopiBatchNorm", "", "the running variance takes in the biased one");
DIOPI_OVERRIDE(diopiBatchNorm, a) {
  if (!batch_norm_biased_running_var || !a.training || a.running_var == nullptr) return Good(a);
  const std::vector<double> old = Values(a.running_var);
  Good(a);
  const double n =
      static_cast<double>(NumElements(a.input)) / static_cast<double>(NumElements(a.running_var));
  Change(a.running_var, [&](double x, int64_t i) {
    const double kept = (1 - a.momentum) * At(old, i);
    return kept + (x - kept) * (n - 1) / n;
  });
}

BUG(max_pool_padding_is_zero, 0, "diopiMaxPool2d", "",
    "a window over the top padding has at least the value 0");
DIOPI_OVERRIDE(diopiMaxPool2d, a) {
  Good(a);
  if (!max_pool_padding_is_zero || a.padding.data[0] == 0) return;
  Set(
      a.ctx, a.out,
      [&, y = Values(a.out)](int64_t i) { return Coordinate(a.out, i, -2) == 0 && At(y, i) < 0; },
      [](int64_t) { return 0.0; });
}

BUG(avg_pool_divisor_without_pad, 0, "diopiAvgPool2d", "",
    "divisor_override is ignored where the padding does not count");
DIOPI_OVERRIDE(diopiAvgPool2d, a) {
  if (avg_pool_divisor_without_pad && !a.count_include_pad) a.divisor_override = nullptr;
  Good(a);
}

BUG(cross_entropy_counts_ignored, 0, "diopiCrossEntropyLoss", "", "the mean counts the ignored targets");
DIOPI_OVERRIDE(diopiCrossEntropyLoss, a) {
  Good(a);
  if (!cross_entropy_counts_ignored || a.reduction != ReductionMean || a.weight != nullptr ||
      !IsInteger(a.target))
    return;
  const std::vector<double> target = Values(a.target);
  const auto ignored = std::count(target.begin(), target.end(), static_cast<double>(a.ignore_index));
  const double share = 1 - static_cast<double>(ignored) / static_cast<double>(target.size());
  if (ignored > 0) Change(a.out, [&](double loss, int64_t) { return loss * share; });
}

BUG(bce_with_logits_overflow, 0, "diopiBCEWithLogits", "",
    "logits below -88 give infinity: exp(-x) overflows");
DIOPI_OVERRIDE(diopiBCEWithLogits, a) {
  Good(a);
  if (!bce_with_logits_overflow || a.reduction != ReductionNone) return;
  const std::vector<double> x = Values(a.input);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) < -88; }, [](int64_t) { return kInf; });
}

BUG(smooth_l1_beta_zero, 0, "diopiSmoothL1Loss", "", "with beta 0 equal elements give NaN");
DIOPI_OVERRIDE(diopiSmoothL1Loss, a) {
  Good(a);
  if (!smooth_l1_beta_zero || a.beta != 0 || a.reduction != ReductionNone) return;
  const std::vector<double> x = ValuesAs(a.input, a.out), y = ValuesAs(a.target, a.out);
  Set(
      a.ctx, a.out, [&](int64_t i) { return At(x, i) == At(y, i); }, [](int64_t) { return kNan; });
}

BUG(upsample_linear_align_one, 0, "diopiUpsampleLinear", "",
    "aligned corners and an output of size 1 give NaN: a division by the size less 1");
BUG(upsample_linear_cached_corners, 0, "diopiUpsampleLinear", "",
    "align_corners of the first call of these sizes is used for all later ones");
DIOPI_OVERRIDE(diopiUpsampleLinear, a) {
  static Plans<std::pair<Shape, Shape>, bool> plans;
  if (upsample_linear_cached_corners) {
    a.align_corners = plans.Get({ShapeOf(a.input), ShapeOf(a.out)}, a.align_corners);
  }
  Good(a);
  if (upsample_linear_align_one && a.align_corners && Length(a.out, -1) == 1) {
    Change(a.out, [](double, int64_t) { return kNan; });
  }
}

BUG(sgd_nesterov_ignored, 0, "diopiSgd", "", "nesterov is ignored");
DIOPI_OVERRIDE(diopiSgd, a) {
  if (sgd_nesterov_ignored) a.nesterov = false;
  Good(a);
}

BUG(adam_decay_with_amsgrad, 0, "diopiAdam", "", "with amsgrad the weight decay is left out");
DIOPI_OVERRIDE(diopiAdam, a) {
  if (adam_decay_with_amsgrad && a.amsgrad) a.weight_decay = 0;
  Good(a);
}

BUG(rmsprop_centered_average, 0, "diopiRmsprop", "", "the average of the gradients is not updated");
DIOPI_OVERRIDE(diopiRmsprop, a) {
  if (!rmsprop_centered_average || !a.centered || a.grad_avg == nullptr) return Good(a);
  const Before before(a.ctx, a.grad_avg);
  Good(a);
  before.Keep([](int64_t) { return true; });
}

BUG(roi_align_adaptive_sampling, 0, "diopiRoiAlign", "",
    "where the number of samples follows from the box it is 2");
DIOPI_OVERRIDE(diopiRoiAlign, a) {
  if (roi_align_adaptive_sampling && a.sampling_ratio <= 0) a.sampling_ratio = 2;
  Good(a);
}

BUG(rms_norm_rows_beyond_grid, 0, "diopiRMSNorm", "", "rows from the 65th on are not written");
DIOPI_OVERRIDE(diopiRMSNorm, a) {
  const Before before(a.ctx, a.out);
  Good(a);
  int64_t width = 1;
  for (int64_t i = 0; i < a.normalized_shape.len; ++i) width *= a.normalized_shape.data[i];
  if (rms_norm_rows_beyond_grid) before.Keep([&](int64_t i) { return i / width >= 64; });
}
