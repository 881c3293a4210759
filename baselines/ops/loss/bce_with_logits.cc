// bce_with_logits: binary cross entropy of sigmoid(x), so that nothing overflows, with p = pos_weight:
//   (1 - t) * x + (1 + (p - 1) * t) * log(1 + exp(-x))
// and its gradient (1 + (p - 1) * t) * sigmoid(x) - p * t.
#include "baselines/ops/loss/elementwise_loss.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct LogitsLoss {
  LabelledPairs<C> of;
  DIOPI_HD C operator()(int64_t i) const {
    using std::exp;
    using std::log;
    const C x = of.x[i], t = of.target[i];
    const C shift = x < C(0) ? -x : C(0);
    const C logarithm = log(exp(-shift) + exp(-x - shift)) + shift;
    C loss = (C(1) - t) * x;
    loss += of.balanced ? ((of.pos_weight[i] - C(1)) * t + C(1)) * logarithm : logarithm;
    return of.weighted ? loss * of.weight[i] : loss;
  }
};

template <typename C>
struct LogitsLossGrad {
  LabelledPairs<C> of;
  In<C> g;
  C count;
  bool mean;
  DIOPI_HD C operator()(int64_t i) const {
    using std::exp;
    const C t = of.target[i], sigmoid = C(1) / (C(1) + exp(-of.x[i]));
    C gradient = sigmoid - t;
    if (of.balanced) {
      const C share = of.pos_weight[i] * t;
      gradient = (share + C(1) - t) * sigmoid - share;
    }
    gradient = gradient * g[i];
    if (of.weighted) gradient = gradient * of.weight[i];
    return mean ? gradient / count : gradient;
  }
};

}  // namespace

DIOPI_KERNEL(diopiBCEWithLogits, a) {
  const Tensor out(a.out), x(a.input), t(a.target), weight(a.weight), positive(a.pos_weight);
  DispatchFloating(ResultType(out, {x, t}), [&]<typename C>() {
    const LogitsLoss<C> loss{LabelledPairs<C>(x, t, weight, positive)};
    ReduceLosses<C>(Queue(a.ctx), out, x.shape(), a.reduction, loss);
  });
}

DIOPI_KERNEL(diopiBCEWithLogitsBackward, a) {
  const Tensor out(a.grad_input), g(a.grad_output), x(a.input), t(a.target), weight(a.weight),
      positive(a.pos_weight);
  DispatchFloating(ResultType(out, {g, x, t}), [&]<typename C>() {
    const LogitsLossGrad<C> gradient{LabelledPairs<C>(x, t, weight, positive),
                                     LossGradients<C>(g, x.shape(), a.reduction), Exact<C>(x.numel()),
                                     a.reduction == ReductionMean};
    StoreGradient<C>(Queue(a.ctx), out, x.shape(), gradient);
  });
}

}  // namespace diopi::ops::both
