// Bugs injected in the steps of MMCV's batch normalization across devices.
#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::DtypeOf;
using diopi::bugs::Load;
using diopi::bugs::NarrowSum;
using diopi::bugs::Replaced;
using diopi::bugs::Tensor;

BUG(mmcv_bn_mean_narrow_sum, 0, "diopiSyncBnMeanMmcv", "", "the sum is kept in the input's type");
BUG(mmcv_bn_var_unbiased, 0, "diopiSyncBnVarMmcv", "", "the variance divides by the count less one");
BUG(mmcv_bn_var_own_mean, 0, "diopiSyncBnVarMmcv", "", "the device's own mean replaces the one given");
BUG(mmcv_bn_group_ignored, 0, "diopiSyncBnOutputMmcv", "", "running_var counts this device alone");
BUG(mmcv_bn_momentum_reversed, 0, "diopiSyncBnOutputMmcv", "", "momentum is that of the old statistics");
BUG(mmcv_bn_norm_is_output, 0, "diopiSyncBnOutputMmcv", "", "norm keeps the elements with weight and bias");
BUG(mmcv_bn_param_exchanged, 0, "diopiSyncBnBackwardParamMmcv", "",
    "grad_weight and grad_bias are exchanged");
BUG(mmcv_bn_param_without_norm, 0, "diopiSyncBnBackwardParamMmcv", "",
    "grad_weight is the sum of grad_output");
BUG(mmcv_bn_data_divides_by_samples, 0, "diopiSyncBnBackwardDataMmcv", "",
    "the sums are divided by the number of samples");
BUG(mmcv_bn_data_weight_ignored, 0, "diopiSyncBnBackwardDataMmcv", "", "weight is taken as 1");

}  // namespace

DIOPI_OVERRIDE(diopiSyncBnMeanMmcv, a) {
  Good(a);
  if (!mmcv_bn_mean_narrow_sum) return;
  const Tensor input(a.input);
  const std::vector<double> x = Load<double>(input);
  const int64_t channels = input.size(1), places = input.size(2);
  Change(a.mean, [&](double, int64_t c) {
    std::vector<double> values;
    for (int64_t i = 0; i < input.numel(); ++i) {
      if (i / places % channels == c) values.push_back(x[static_cast<size_t>(i)]);
    }
    return NarrowSum(DtypeOf(a.input), values) / static_cast<double>(values.size());
  });
}

DIOPI_OVERRIDE(diopiSyncBnVarMmcv, a) {
  Good(a);
  const Tensor input(a.input);
  const double count = static_cast<double>(input.size(0) * input.size(2));
  if (mmcv_bn_var_unbiased) Change(a.var, [&](double var, int64_t) { return var * count / (count - 1); });
  if (!mmcv_bn_var_own_mean) return;
  const std::vector<double> x = Load<double>(input), mean = Load<double>(Tensor(a.mean));
  std::vector<double> own(mean.size(), 0.0);
  for (size_t i = 0; i < x.size(); ++i) {
    const auto c = static_cast<size_t>(static_cast<int64_t>(i) / input.size(2) % input.size(1));
    own[c] += x[i] / count;
  }
  Change(a.var, [&](double var, int64_t i) {
    const double moved = own[static_cast<size_t>(i)] - mean[static_cast<size_t>(i)];
    return var - moved * moved;
  });
}

DIOPI_OVERRIDE(diopiSyncBnOutputMmcv, a) {
  if (mmcv_bn_group_ignored) a.group_size = 1;
  if (mmcv_bn_momentum_reversed) a.momentum = 1 - a.momentum;
  Good(a);
  if (mmcv_bn_norm_is_output) {
    const std::vector<double> out = Load<double>(Tensor(a.output));
    Change(a.norm, [&](double, int64_t i) { return out[static_cast<size_t>(i)]; });
  }
}

DIOPI_OVERRIDE(diopiSyncBnBackwardParamMmcv, a) {
  if (mmcv_bn_param_without_norm) a.norm = Replaced(a.ctx, a.norm, [](double, int64_t) { return 1.0; });
  if (mmcv_bn_param_exchanged) std::swap(a.grad_weight, a.grad_bias);
  Good(a);
}

DIOPI_OVERRIDE(diopiSyncBnBackwardDataMmcv, a) {
  if (mmcv_bn_data_weight_ignored) a.weight = nullptr;
  if (mmcv_bn_data_divides_by_samples) {
    const double places = static_cast<double>(Tensor(a.grad_output).size(2));
    const auto times = [&](double sum, int64_t) { return sum * places; };
    a.grad_weight = Replaced(a.ctx, a.grad_weight, times);
    a.grad_bias = Replaced(a.ctx, a.grad_bias, times);
  }
  Good(a);
}
