// Bugs injected in the steps of batch normalization across devices.
#include <cmath>

#include "baselines/bugs/support.h"
#include "baselines/ops/normalization/normalization_common.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::Replaced;
using diopi::bugs::Tensor;
using diopi::ops::SplitChannels;

BUG(sync_stats_unbiased, 0, "diopiBatchNormStats", "", "invstd takes the unbiased variance");
BUG(sync_stats_eps_outside_root, 0, "diopiBatchNormStats", "",
    "eps is added to the deviation, not to the variance");
BUG(sync_gather_devices_alike, 0, "diopiBatchNormGatherStatsWithCounts", "",
    "every device has the weight of the first one");
BUG(sync_gather_running_var_biased, 0, "diopiBatchNormGatherStatsWithCounts", "",
    "running_var takes the biased variance");
BUG(sync_gather_eps_kept, 0, "diopiBatchNormGatherStatsWithCounts", "",
    "eps is not taken from the devices' variances");
BUG(sync_elemt_invstd_as_variance, 0, "diopiBatchNormElemt", "", "invstd is read as a variance, with eps");
BUG(sync_elemt_bias_needs_weight, 0, "diopiBatchNormElemt", "", "bias is ignored where weight is null");
BUG(sync_reduce_mean_ignored, 0, "diopiBatchNormBackwardReduce", "", "sum_dy_xmu is the sum of dy * x");
BUG(sync_reduce_weight_unscaled, 0, "diopiBatchNormBackwardReduce", "",
    "grad_weight lacks the factor invstd");
BUG(sync_backward_own_count, 0, "diopiBatchNormBackwardElemt", "",
    "the first device's count divides the sums");
BUG(sync_backward_slope_by_invstd, 0, "diopiBatchNormBackwardElemt", "",
    "the term of sum_dy_xmu has invstd once instead of squared");

double Square(double x) {
  return x * x;
}

}  // namespace

DIOPI_OVERRIDE(diopiBatchNormStats, a) {
  Good(a);
  const double count = static_cast<double>(SplitChannels(Tensor(a.input)).length());
  Change(a.invstd, [&](double x, int64_t) {
    const double variance = 1 / Square(x) - a.eps;
    if (sync_stats_unbiased) return 1 / std::sqrt(variance * count / (count - 1) + a.eps);
    if (sync_stats_eps_outside_root) return 1 / (std::sqrt(std::max(variance, 0.0)) + a.eps);
    return x;
  });
}

DIOPI_OVERRIDE(diopiBatchNormGatherStatsWithCounts, a) {
  const std::vector<double> counts = Load<double>(Tensor(a.counts));
  if (sync_gather_devices_alike) {
    a.counts = Replaced(a.ctx, a.counts, [&](double, int64_t) { return counts[0]; });
  }
  if (sync_gather_eps_kept) {
    const auto eps = static_cast<double>(a.eps);
    a.invstd_all =
        Replaced(a.ctx, a.invstd_all, [&](double x, int64_t) { return 1 / std::sqrt(1 / Square(x) + eps); });
  }
  const std::vector<double> before =
      a.running_var == nullptr ? std::vector<double>() : Load<double>(Tensor(a.running_var));
  Good(a);
  if (!sync_gather_running_var_biased || a.running_var == nullptr) return;
  double total = 0;
  for (const double count : counts) total += count;
  const double old = 1 - static_cast<double>(a.momentum);
  Change(a.running_var, [&](double x, int64_t c) {
    const double kept = old * before[static_cast<size_t>(c)];
    return kept + (x - kept) * (total - 1) / total;
  });
}

DIOPI_OVERRIDE(diopiBatchNormElemt, a) {
  if (sync_elemt_invstd_as_variance) {
    const auto eps = static_cast<double>(a.eps);
    a.invstd = Replaced(a.ctx, a.invstd, [&](double x, int64_t) { return 1 / std::sqrt(x + eps); });
  }
  if (sync_elemt_bias_needs_weight && a.weight == nullptr) a.bias = nullptr;
  Good(a);
}

DIOPI_OVERRIDE(diopiBatchNormBackwardReduce, a) {
  if (sync_reduce_mean_ignored) a.mean = Replaced(a.ctx, a.mean, [](double, int64_t) { return 0; });
  if (sync_reduce_weight_unscaled) a.invstd = Replaced(a.ctx, a.invstd, [](double, int64_t) { return 1; });
  Good(a);
}

DIOPI_OVERRIDE(diopiBatchNormBackwardElemt, a) {
  if (sync_backward_own_count) {
    a.count = Replaced(a.ctx, a.count, [](double x, int64_t i) { return i == 0 ? x : 0; });
  }
  if (sync_backward_slope_by_invstd) {
    const std::vector<double> invstd = Load<double>(Tensor(a.invstd));
    a.sum_dy_xmu = Replaced(a.ctx, a.sum_dy_xmu,
                            [&](double x, int64_t c) { return x / invstd[static_cast<size_t>(c)]; });
  }
  Good(a);
}
