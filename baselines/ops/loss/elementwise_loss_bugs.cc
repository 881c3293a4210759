// Bugs injected in the element-wise losses: mse_loss, smooth_l1_loss, bce_loss, bce_with_logits.
#include <cmath>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::DtypeOf;
using diopi::bugs::Load;
using diopi::bugs::RoundedTo;
using diopi::bugs::Store;
using diopi::bugs::Tensor;

BUG(mse_mean_over_batch, 0, "diopiMSELoss", "",
    "the mean divides by the first dimension, not by all elements");
BUG(mse_narrow_sum, 0, "diopiMSELoss", "", "16-bit squares are added up in their own type");
BUG(mse_gradient_without_2, 0, "diopiMSELossBackward", "", "the gradient lacks the factor 2");
BUG(mse_gradient_of_sum, 0, "diopiMSELossBackward", "",
    "the gradient of the mean is not divided by the count");
BUG(smooth_l1_beta_1, 0, "diopiSmoothL1Loss diopiSmoothL1LossBackward", "", "beta is taken as 1");
BUG(smooth_l1_huber, 0, "diopiSmoothL1Loss", "", "the Huber loss, which is not divided by beta");
BUG(smooth_l1_gradient_sign, 0, "diopiSmoothL1LossBackward", "",
    "the gradient is the sign of the difference below beta too");
BUG(bce_unclamped, 0, "diopiBCELoss", "", "the logarithms are not raised to -100");
BUG(bce_weight_ignored, 0, "diopiBCELoss", "", "weight is taken as 1");
BUG(bce_epsilon_added, 0, "diopiBCELossBackward", "", "1e-6 is added to the gradient's denominator");
BUG(bce_logits_naive, 0, "diopiBCEWithLogits", "", "log(1 + exp(-x)) as it stands: exp overflows");
BUG(bce_logits_pos_weight_ignored, 0, "diopiBCEWithLogits", "", "pos_weight is taken as 1");
BUG(bce_logits_pos_weight_on_all, 0, "diopiBCEWithLogitsBackward", "",
    "pos_weight multiplies the negative terms of the gradient, too");

// out = what `loss` gives each element, reduced: the CPU reference's reduction in double.
template <typename F>
void StoreReduced(const Tensor& out, size_t n, diopiReduction_t reduction, F&& loss) {
  std::vector<double> losses(n);
  for (size_t i = 0; i < n; ++i) losses[i] = loss(i);
  if (reduction != ReductionNone) {
    double sum = 0;
    for (const double x : losses) sum += x;
    losses = {reduction == ReductionMean ? sum / static_cast<double>(n) : sum};
  }
  Store(out, losses);
}

// The elements of a weight, broadcast; 1 where none is given.
std::vector<double> WeightsOf(const Tensor& weight, const Tensor& input) {
  if (weight) return diopi::bugs::LoadAs<double>(weight, input.shape());
  return std::vector<double>(static_cast<size_t>(input.numel()), 1.0);
}

void UnclampedBce(const diopiBCELossArgs& a) {
  const std::vector<double> x = Load<double>(a.input), t = Load<double>(a.target),
                            w = WeightsOf(a.weight, a.input);
  StoreReduced(a.out, x.size(), a.reduction,
               [&](size_t i) { return -w[i] * (t[i] * std::log(x[i]) + (1 - t[i]) * std::log(1 - x[i])); });
}

// In float32, as a kernel without the shift would.
void NaiveLogits(const diopiBCEWithLogitsArgs& a) {
  const std::vector<double> x = Load<double>(a.input), t = Load<double>(a.target),
                            w = WeightsOf(a.weight, a.input), p = WeightsOf(a.pos_weight, a.input);
  StoreReduced(a.out, x.size(), a.reduction, [&](size_t i) {
    const double e = std::exp(-x[i]);
    const bool overflows = DtypeOf(a.input) != diopi_dtype_float64 && e > 3.4e38;
    return w[i] * ((1 - t[i]) * x[i] +
                   ((p[i] - 1) * t[i] + 1) * std::log(1 + (overflows ? static_cast<double>(INFINITY) : e)));
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiMSELoss, a) {
  const Tensor out(a.out), x(a.input);
  const diopiReduction_t reduction = a.reduction;
  if (mse_narrow_sum && reduction != ReductionNone) {
    const std::vector<double> left = Load<double>(x), right = Load<double>(a.target);
    double sum = 0;
    for (size_t i = 0; i < left.size(); ++i) {
      sum = RoundedTo(x.dtype(), sum + (left[i] - right[i]) * (left[i] - right[i]));
    }
    return Store(
        out, std::vector<double>{reduction == ReductionMean ? sum / static_cast<double>(left.size()) : sum});
  }
  Good(a);
  if (mse_mean_over_batch && reduction == ReductionMean && x.rank() > 0 && x.size(0) > 0) {
    const double factor = static_cast<double>(x.numel()) / static_cast<double>(x.size(0));
    Change(a.out, [&](double mean, int64_t) { return mean * factor; });
  }
}

DIOPI_OVERRIDE(diopiMSELossBackward, a) {
  if (mse_gradient_of_sum && a.reduction == ReductionMean) a.reduction = ReductionSum;
  Good(a);
  if (mse_gradient_without_2) Change(a.grad_input, [](double g, int64_t) { return g / 2; });
}

DIOPI_OVERRIDE(diopiSmoothL1Loss, a) {
  if (smooth_l1_beta_1) a.beta = 1;
  Good(a);
  if (smooth_l1_huber) Change(a.out, [&](double loss, int64_t) { return loss * a.beta; });
}

DIOPI_OVERRIDE(diopiSmoothL1LossBackward, a) {
  if (smooth_l1_beta_1) a.beta = 1;
  if (smooth_l1_gradient_sign) a.beta = 0;
  Good(a);
}

DIOPI_OVERRIDE(diopiBCELoss, a) {
  if (bce_unclamped) return UnclampedBce(a);
  if (bce_weight_ignored) a.weight = nullptr;
  Good(a);
}

DIOPI_OVERRIDE(diopiBCELossBackward, a) {
  Good(a);
  if (!bce_epsilon_added) return;
  const std::vector<double> x = Load<double>(Tensor(a.input));
  Change(a.grad_input, [&](double g, int64_t i) {
    const double variance = x[static_cast<size_t>(i)] * (1 - x[static_cast<size_t>(i)]);
    return g * variance / (variance + 1e-6);
  });
}

DIOPI_OVERRIDE(diopiBCEWithLogits, a) {
  if (bce_logits_naive) return NaiveLogits(a);
  if (bce_logits_pos_weight_ignored) a.pos_weight = nullptr;
  Good(a);
}

DIOPI_OVERRIDE(diopiBCEWithLogitsBackward, a) {
  if (!bce_logits_pos_weight_on_all || a.pos_weight == nullptr) return Good(a);
  const std::vector<double> p = WeightsOf(a.pos_weight, a.input);
  a.pos_weight = nullptr;
  Good(a);
  Change(a.grad_input, [&](double g, int64_t i) { return g * p[static_cast<size_t>(i)]; });
}
