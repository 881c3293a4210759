// bce_loss, binary cross entropy: -(t * log(x) + (1 - t) * log(1 - x)), the logarithms at least -100. The
// gradient: (x - t) / (x * (1 - x)), the denominator at least 1e-12.
#include "baselines/ops/loss/elementwise_loss.h"

namespace diopi::ops::both {
namespace {

constexpr double kLeastDenominator = 1e-12F;  // rounded to float32 for every type, as PyTorch has it

template <typename C>
DIOPI_HD C AtLeast(const C& x, const C& least) {
  return x < least ? least : x;
}

template <typename C>
struct BinaryCrossEntropy {
  LabelledPairs<C> of;
  DIOPI_HD C operator()(int64_t i) const {
    using std::log;
    const C x = of.x[i], t = of.target[i];
    const C yes = AtLeast(C(log(x)), C(-100)), no = AtLeast(C(log(C(1) - x)), C(-100));
    const C loss = (t - C(1)) * no - t * yes;
    return of.weighted ? loss * of.weight[i] : loss;
  }
};

template <typename C>
struct BinaryCrossEntropyGrad {
  LabelledPairs<C> of;
  In<C> g;
  C least, count;
  bool mean;
  DIOPI_HD C operator()(int64_t i) const {
    const C x = of.x[i];
    C gradient = g[i] * (x - of.target[i]) / AtLeast((C(1) - x) * x, least);
    if (of.weighted) gradient = gradient * of.weight[i];
    return mean ? gradient / count : gradient;
  }
};

}  // namespace

DIOPI_KERNEL(diopiBCELoss, a) {
  const Tensor out(a.out), x(a.input), t(a.target), weight(a.weight);
  DispatchFloating(ResultType(out, {x, t}), [&]<typename C>() {
    const BinaryCrossEntropy<C> loss{LabelledPairs<C>(x, t, weight)};
    ReduceLosses<C>(Queue(a.ctx), out, x.shape(), a.reduction, loss);
  });
}

DIOPI_KERNEL(diopiBCELossBackward, a) {
  const Tensor out(a.grad_input), g(a.grad_output), x(a.input), t(a.target), weight(a.weight);
  DispatchFloating(ResultType(out, {g, x, t}), [&]<typename C>() {
    const BinaryCrossEntropyGrad<C> gradient{
        LabelledPairs<C>(x, t, weight), LossGradients<C>(g, x.shape(), a.reduction),
        Rounded<C>(kLeastDenominator), Exact<C>(x.numel()), a.reduction == ReductionMean};
    StoreGradient<C>(Queue(a.ctx), out, x.shape(), gradient);
  });
}

}  // namespace diopi::ops::both
