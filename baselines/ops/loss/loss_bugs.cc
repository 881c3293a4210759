// Bugs injected in nll_loss and cross_entropy.
#include <algorithm>

#include "baselines/bugs/support.h"
#include "baselines/ops/loss/loss_common.h"
#include "baselines/ops/softmax/softmax_common.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::bugs::ToHalf;
using diopi::ops::ClassShape;

BUG(ce_mean_divides_by_n, 39, "diopiCrossEntropyLoss", "",
    "the mean divides by all rows, ignored ones included");
BUG(ce_label_smoothing_ignored, 40, "diopiCrossEntropyLoss diopiCrossEntropyLossBackward", "",
    "label_smoothing is taken as 0");
BUG(ce_mean_ignores_class_weights, 0, "diopiCrossEntropyLoss", "",
    "the mean divides by the number of targets that count, not by their weights");
BUG(ce_smoothing_unweighted, 0, "diopiCrossEntropyLoss", "", "the smoothed share ignores the class weights");
BUG(ce_smoothing_over_others, 0, "diopiCrossEntropyLoss", "",
    "the smoothed share is divided among the other classes only");
BUG(ce_without_max, 0, "diopiCrossEntropyLoss", "", "the maximum is not subtracted: exp overflows");
BUG(ce_all_ignored_zero, 0, "diopiCrossEntropyLoss", "", "a mean over no targets is 0 instead of NaN");
BUG(ce_probabilities_as_argmax, 0, "diopiCrossEntropyLoss", "",
    "class probabilities count as the most probable class");
BUG(ce_backward_smoothing_ignored, 0, "diopiCrossEntropyLossBackward", "",
    "the gradient takes label_smoothing as 0");
BUG(nll_mean_ignores_class_weights, 0, "diopiNLLLoss diopiNLLLossV2", "",
    "the mean divides by the number of targets that count, not by their weights");
BUG(nll_ignore_index_built_in, 0, "diopiNLLLoss diopiNLLLossBackward", "", "ignore_index is always -100");
BUG(nll_spatial_read_as_rows, 0, "diopiNLLLoss", "", "(N, C, d) is read as (N * d, C)");
BUG(nll_fp16_sum, 0, "diopiNLLLoss", "", "the rows' losses are added up in float16 in float16");
BUG(nll_backward_weights_ignored, 0, "diopiNLLLossBackward", "", "the gradient ignores the class weights");
BUG(nll_backward_mean_divides_by_n, 0, "diopiNLLLossV2Backward", "",
    "the gradient of the mean divides by all rows");

// double for float64, float for the others, as the reference computes.
template <typename F>
void InFloats(diopiDtype_t dtype, F&& f) {
  if (dtype == diopi_dtype_float64) return f.template operator()<double>();
  f.template operator()<float>();
}

struct Options {
  diopiReduction_t reduction;
  int64_t ignore_index;
  double label_smoothing;
};

// log_softmax over the classes of one row.
template <typename C>
std::vector<C> LogSoftmaxRow(const std::vector<C>& x, const ClassShape& shape, int64_t row) {
  C shift = diopi::ops::LineMax(x, shape.At(row, 0), shape.inner, shape.classes);
  if (ce_without_max) shift = 0;
  std::vector<C> y;
  C sum = 0;
  for (int64_t c = 0; c < shape.classes; ++c) {
    y.push_back(x[static_cast<size_t>(shape.At(row, c))] - shift);
    sum += std::exp(y.back());
  }
  for (C& value : y) value -= std::log(sum);
  return y;
}

// The loss of a row whose classes have the given probabilities.
template <typename C>
C RowLoss(const std::vector<C>& y, const std::vector<C>& probabilities, const std::vector<C>& weights,
          double smoothing) {
  const auto classes = static_cast<double>(y.size());
  const C keep = static_cast<C>(1 - smoothing), share = static_cast<C>(smoothing / classes);
  const C others = static_cast<C>(smoothing / (classes - 1));
  C loss = 0;
  for (size_t c = 0; c < y.size(); ++c) {
    const C p = probabilities[c];
    if (ce_smoothing_unweighted) {
      loss -= (p * keep * weights[c] + share) * y[c];
    } else if (ce_smoothing_over_others) {
      loss -= (p * keep + (1 - p) * others) * weights[c] * y[c];
    } else if (p != 0 || smoothing != 0) {
      loss -= (p * keep + (smoothing != 0 ? share : 0)) * weights[c] * y[c];
    }
  }
  return loss;
}

template <typename C>
void CrossEntropy(const Tensor& out, const Tensor& input, const Tensor& target, const Tensor& weight,
                  const Options& o) {
  const ClassShape shape(input.shape());
  const std::vector<C> x = Load<C>(input), weights = diopi::ops::LoadWeights<C>(weight, shape);
  const bool dense = diopi::ops::IsFloating(target.dtype());
  const std::vector<C> given = dense ? Load<C>(target) : std::vector<C>();
  const std::vector<int64_t> indices = dense ? std::vector<int64_t>() : Load<int64_t>(target);
  std::vector<C> losses(static_cast<size_t>(shape.count()), 0);
  C counted = 0, total = 0;
  for (int64_t row = 0; row < shape.count(); ++row) {
    std::vector<C> probabilities(static_cast<size_t>(shape.classes), 0);
    for (size_t c = 0; dense && c < probabilities.size(); ++c) {
      probabilities[c] = given[static_cast<size_t>(shape.At(row, static_cast<int64_t>(c)))];
    }
    if (dense && ce_probabilities_as_argmax) {
      const auto most = std::max_element(probabilities.begin(), probabilities.end());
      const auto at = static_cast<size_t>(most - probabilities.begin());
      std::fill(probabilities.begin(), probabilities.end(), C(0));
      probabilities[at] = 1;
    }
    const int64_t index = dense ? -1 : indices[static_cast<size_t>(row)];
    if (!dense && index == o.ignore_index) continue;
    if (!dense) probabilities[static_cast<size_t>(index)] = 1;
    counted += 1;
    total += dense ? C(1) : weights[static_cast<size_t>(index)];
    losses[static_cast<size_t>(row)] =
        RowLoss(LogSoftmaxRow(x, shape, row), probabilities, weights, o.label_smoothing);
  }
  if (ce_mean_divides_by_n) total = static_cast<C>(shape.count());
  if (ce_mean_ignores_class_weights) total = counted;
  if (ce_all_ignored_zero && counted == 0) total = 1;
  diopi::ops::StoreReduced(out, losses, total, o.reduction, shape.rows);
}

template <typename C>
void NllLoss(const Tensor& out, const Tensor& total_weight, const Tensor& input, const Tensor& target,
             const Tensor& weight, const Options& o) {
  const ClassShape shape(input.shape());
  const std::vector<C> x = Load<C>(input), weights = diopi::ops::LoadWeights<C>(weight, shape);
  const std::vector<int64_t> targets = diopi::ops::LoadTargets(target, shape, o.ignore_index);
  std::vector<C> losses(targets.size(), 0);
  C counted = 0, total = 0;
  for (size_t row = 0; row < targets.size(); ++row) {
    const int64_t t = targets[row];
    if (t == o.ignore_index) continue;
    const int64_t r = static_cast<int64_t>(row);
    const int64_t at = nll_spatial_read_as_rows ? r * shape.classes + t : shape.At(r, t);
    losses[row] = -(weights[static_cast<size_t>(t)] * x[static_cast<size_t>(at)]);
    counted += 1;
    total += weights[static_cast<size_t>(t)];
  }
  if (total_weight) Store(total_weight, std::vector<C>{total});
  if (nll_mean_ignores_class_weights) total = counted;
  if (nll_fp16_sum && o.reduction != ReductionNone) {
    double sum = 0;
    for (const C& loss : losses) sum = ToHalf(sum + static_cast<double>(loss));
    losses.assign(1, static_cast<C>(sum));
  }
  diopi::ops::StoreReduced(out, losses, total, o.reduction, shape.rows);
}

void InjectedNll(diopiTensorHandle_t out, diopiTensorHandle_t total_weight, diopiConstTensorHandle_t input,
                 diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight, const Options& o) {
  InFloats(diopi::bugs::DtypeOf(input),
           [&]<typename C>() { NllLoss<C>(out, total_weight, input, target, weight, o); });
}

}  // namespace

DIOPI_OVERRIDE(diopiCrossEntropyLoss, a) {
  if (ce_label_smoothing_ignored) a.label_smoothing = 0;
  const bool own = ce_mean_divides_by_n || ce_mean_ignores_class_weights || ce_smoothing_unweighted ||
                   ce_smoothing_over_others || ce_without_max || ce_all_ignored_zero ||
                   ce_probabilities_as_argmax;
  if (!own) {
    return Good(a);
  }
  const Options options{a.reduction, a.ignore_index, a.label_smoothing};
  InFloats(diopi::bugs::DtypeOf(a.input),
           [&]<typename C>() { CrossEntropy<C>(a.out, a.input, a.target, a.weight, options); });
}

DIOPI_OVERRIDE(diopiCrossEntropyLossBackward, a) {
  if (ce_label_smoothing_ignored || ce_backward_smoothing_ignored) a.label_smoothing = 0;
  Good(a);
}

DIOPI_OVERRIDE(diopiNLLLoss, a) {
  if (nll_ignore_index_built_in) a.ignore_index = -100;
  const bool half = diopi::bugs::DtypeOf(a.input) == diopi_dtype_float16;
  if (nll_mean_ignores_class_weights || nll_spatial_read_as_rows || (nll_fp16_sum && half)) {
    return InjectedNll(a.out, nullptr, a.input, a.target, a.weight, {a.reduction, a.ignore_index, 0});
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiNLLLossV2, a) {
  if (nll_mean_ignores_class_weights) {
    return InjectedNll(a.out, a.totalWeight, a.input, a.target, a.weight, {a.reduction, a.ignore_index, 0});
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiNLLLossBackward, a) {
  if (nll_ignore_index_built_in) a.ignore_index = -100;
  if (nll_backward_weights_ignored) a.weight = nullptr;
  Good(a);
}

DIOPI_OVERRIDE(diopiNLLLossV2Backward, a) {
  if (nll_backward_mean_divides_by_n) {
    diopiTensorHandle_t rows = nullptr;

    rows = diopi::bugs::NewTensor(a.ctx, {}, diopi::bugs::DtypeOf(a.input));
    Store(Tensor(rows), std::vector<double>{static_cast<double>(diopi::bugs::NumElements(a.target))});

    a.totalWeight = rows;
  }
  Good(a);
}
