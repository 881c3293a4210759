// nll_loss: -weight[target] * input[target] a row; ignored rows give 0 and do not count in the mean.
#include "baselines/ops/loss/loss_common.h"

namespace diopi::ops {
namespace {

template <typename C>
C TotalWeight(const std::vector<int64_t>& targets, const std::vector<C>& weights, int64_t ignore_index) {
  C total = Exact<C>(0);
  for (const int64_t t : targets) {
    if (t != ignore_index) total += weights[static_cast<size_t>(t)];
  }
  return total;
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
    const C total = TotalWeight(targets, weights, ignore_index);
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
    const C total = total_weight ? LoadItem<C>(total_weight) : TotalWeight(targets, weights, ignore_index);
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

extern "C" diopiError_t diopiNLLLoss(diopiContextHandle_t, diopiTensorHandle_t out,
                                     diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                     diopiConstTensorHandle_t weight, diopiReduction_t reduction,
                                     int64_t ignore_index) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { Forward(out, Tensor(), input, target, weight, reduction, ignore_index); });
}

extern "C" diopiError_t diopiNLLLossV2(diopiContextHandle_t, diopiTensorHandle_t out,
                                       diopiTensorHandle_t totalWeight, diopiConstTensorHandle_t input,
                                       diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
                                       diopiReduction_t reduction, int64_t ignore_index) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { Forward(out, totalWeight, input, target, weight, reduction, ignore_index); });
}

extern "C" diopiError_t diopiNLLLossBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                             diopiConstTensorHandle_t grad_output,
                                             diopiConstTensorHandle_t input, diopiConstTensorHandle_t target,
                                             diopiConstTensorHandle_t weight, diopiReduction_t reduction,
                                             int64_t ignore_index) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    Backward(grad_input, grad_output, input, target, weight, Tensor(), reduction, ignore_index);
  });
}

extern "C" diopiError_t diopiNLLLossV2Backward(
    diopiContextHandle_t, diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output,
    diopiConstTensorHandle_t input, diopiConstTensorHandle_t target, diopiConstTensorHandle_t weight,
    diopiConstTensorHandle_t totalWeight, diopiReduction_t reduction, int64_t ignore_index) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    Backward(grad_input, grad_output, input, target, weight, totalWeight, reduction, ignore_index);
  });
}
