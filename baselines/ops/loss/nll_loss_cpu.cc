// nll_loss: -weight[target] * input[target] per row; ignored rows give 0 and do not count in the mean.
#include <algorithm>

#include "baselines/ops/loss/loss_common.h"

namespace diopi::ops {
namespace {

// Without a tensor of weights, the number of rows that count, which is exact.
template <typename C>
C TotalWeight(const std::vector<int64_t>& targets, const Tensor& weight, const std::vector<C>& weights,
              int64_t ignore_index) {
  if (!weight)
    return Exact<C>(std::ssize(targets) - std::count(targets.begin(), targets.end(), ignore_index));
  Sum<C> total;
  for (const int64_t t : targets) {
    if (t != ignore_index) total += weights[static_cast<size_t>(t)];
  }
  return total.total();
}

void Forward(const Tensor& out, const Tensor& total_weight, const Tensor& input, const Tensor& target,
             const Tensor& weight, diopiReduction_t reduction, int64_t ignore_index) {
  const ClassShape shape(input.shape());
  const std::vector<int64_t> targets = LoadTargets(target, shape, ignore_index);
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    const std::vector<C> x = Load<C>(input);
    const std::vector<C> weights = LoadWeights<C>(weight, shape);
    std::vector<C> losses(targets.size(), Exact<C>(0));
    for (int64_t row = 0; row < shape.count(); ++row) {
      const int64_t t = targets[static_cast<size_t>(row)];
      if (t == ignore_index) continue;
      losses[static_cast<size_t>(row)] =
          -(weights[static_cast<size_t>(t)] * x[static_cast<size_t>(shape.At(row, t))]);
    }
    const C total = TotalWeight(targets, weight, weights, ignore_index);
    StoreReduced(out, losses, total, reduction, shape.rows);
    if (total_weight) Store(total_weight, std::vector<C>{total});
  });
}

void Backward(const Tensor& grad_input, const Tensor& grad_output, const Tensor& input, const Tensor& target,
              const Tensor& weight, const Tensor& total_weight, diopiReduction_t reduction,
              int64_t ignore_index) {
  const ClassShape shape(input.shape());
  CheckShape(grad_input, input.shape(), "grad_input");
  CheckGradOutput(grad_output, shape.rows, reduction);
  const std::vector<int64_t> targets = LoadTargets(target, shape, ignore_index);
  DispatchFloating(ResultType(grad_input, {grad_output, input}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad_output);
    const std::vector<C> weights = LoadWeights<C>(weight, shape);
    const C total =
        total_weight ? LoadItem<C>(total_weight) : TotalWeight(targets, weight, weights, ignore_index);
    std::vector<C> gradient(static_cast<size_t>(input.numel()), Exact<C>(0));
    for (int64_t row = 0; row < shape.count(); ++row) {
      const int64_t t = targets[static_cast<size_t>(row)];
      if (t == ignore_index) continue;
      gradient[static_cast<size_t>(shape.At(row, t))] =
          -(RowGradient(g, row, total, reduction) * weights[static_cast<size_t>(t)]);
    }
    Store(grad_input, gradient);
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiNLLLoss, a) {
  using namespace diopi::ops;
  Forward(a.out, Tensor(), a.input, a.target, a.weight, a.reduction, a.ignore_index);
}

DIOPI_KERNEL(diopiNLLLossV2, a) {
  using namespace diopi::ops;
  Forward(a.out, a.totalWeight, a.input, a.target, a.weight, a.reduction, a.ignore_index);
}

DIOPI_KERNEL(diopiNLLLossBackward, a) {
  using namespace diopi::ops;
  Backward(a.grad_input, a.grad_output, a.input, a.target, a.weight, Tensor(), a.reduction, a.ignore_index);
}

DIOPI_KERNEL(diopiNLLLossV2Backward, a) {
  using namespace diopi::ops;
  Backward(a.grad_input, a.grad_output, a.input, a.target, a.weight, a.totalWeight, a.reduction,
           a.ignore_index);
}
