// nll_loss: -weight[target] * input[target] per row; ignored rows give 0 and do not count in the mean.
#include "baselines/ops/loss/loss_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct RowLoss {
  In<C> x;
  const int64_t* targets;
  const C* weights;
  int64_t classes;
  C* losses;
  DIOPI_HD void operator()(int64_t row) const {
    const int64_t t = targets[row];
    losses[row] = t >= 0 ? -(weights[t] * x[row * classes + t]) : t == kIgnored ? C(0) : C(NAN);
  }
};

template <typename C>
struct RowGradient {
  const C* factors;
  const int64_t* targets;
  const C* weights;
  int64_t classes;
  Out<C> gradient;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t row = i / classes, t = targets[row];
    const C none = t == kOutOfBounds ? C(NAN) : C(0);
    gradient.Set(i, t == i % classes ? -(factors[row] * weights[t]) : none);
  }
};

void Forward(diopiContextHandle_t ctx, const Tensor& out, const Tensor& total_weight, const Tensor& input,
             const Tensor& target, const Tensor& weight, diopiReduction_t reduction, int64_t ignore_index) {
  const ClassShape shape(input.shape());
  CheckLossShape(out, shape, reduction);
  if (total_weight)
    Check(total_weight.numel() == 1, "the output holds ", total_weight.numel(),
          " elements, the result has 1");
  const Queue queue(ctx);
  const int64_t* const targets = ReadTargets(queue, target, shape, ignore_index);
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    const C* const weights = ClassWeights<C>(queue, weight, shape);
    C* const losses = queue.Buffer<C>(shape.count());
    ForEach(queue, shape.count(),
            RowLoss<C>{In<C>(input, ClassRows(input)), targets, weights, shape.classes, losses});
    In<C> total;
    if (total_weight || reduction == ReductionMean)
      total = SumTargetWeights(queue, targets, weights, shape.count());
    StoreLosses(queue, out, losses, shape, total, reduction);
    if (total_weight) Copy(queue, 1, Out<C>(total_weight), total);
  });
}

void Backward(diopiContextHandle_t ctx, const Tensor& grad_input, const Tensor& grad_output,
              const Tensor& input, const Tensor& target, const Tensor& weight, const Tensor& total_weight,
              diopiReduction_t reduction, int64_t ignore_index) {
  const ClassShape shape(input.shape());
  CheckShape(grad_input, input.shape(), "grad_input");
  if (total_weight)
    Check(total_weight.numel() == 1, "expected a tensor of one element, got shape ",
          ShapeText(total_weight.shape()));
  const Queue queue(ctx);
  const int64_t* const targets = ReadTargets(queue, target, shape, ignore_index);
  DispatchFloating(ResultType(grad_input, {grad_output, input}), [&]<typename C>() {
    const C* const weights = ClassWeights<C>(queue, weight, shape);
    In<C> total;
    if (total_weight) {
      total = In<C>(total_weight);
    } else if (reduction == ReductionMean) {
      total = SumTargetWeights(queue, targets, weights, shape.count());
    }
    const C* const factors = RowFactors<C>(queue, grad_output, shape, total, reduction);
    const Out<C> gradient(grad_input, ClassRows(grad_input));
    ForEach(queue, input.numel(), RowGradient<C>{factors, targets, weights, shape.classes, gradient});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNLLLoss, a) {
  using namespace diopi::ops;
  cuda::Forward(a.ctx, a.out, Tensor(), a.input, a.target, a.weight, a.reduction, a.ignore_index);
}

DIOPI_KERNEL(diopiNLLLossV2, a) {
  using namespace diopi::ops;
  cuda::Forward(a.ctx, a.out, a.totalWeight, a.input, a.target, a.weight, a.reduction, a.ignore_index);
}

DIOPI_KERNEL(diopiNLLLossBackward, a) {
  using namespace diopi::ops;
  cuda::Backward(a.ctx, a.grad_input, a.grad_output, a.input, a.target, a.weight, Tensor(), a.reduction,
                 a.ignore_index);
}

DIOPI_KERNEL(diopiNLLLossV2Backward, a) {
  using namespace diopi::ops;
  cuda::Backward(a.ctx, a.grad_input, a.grad_output, a.input, a.target, a.weight, a.totalWeight, a.reduction,
                 a.ignore_index);
}
