// MMCV's focal loss of a score x for each sample n and class c, with the sample's label t and p = sigmoid(x):
//   -alpha * (1 - p)^gamma * log(p) where c is t, -(1 - alpha) * p^gamma * log(1 - p) elsewhere,
// times weight[t]. It has no reduction, and the gradient no grad_output.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct MmcvScores {
  In<C> x, weight;
  In<int64_t> target;
  C alpha, gamma;
  int64_t classes;
  bool weighted;

  MmcvScores(const Tensor& input, const Tensor& labels, const Tensor& weights, float balance, float exponent)
      : x(input), target(labels), alpha(Exact<C>(balance)), gamma(Exact<C>(exponent)) {
    Check(input.rank() == 2, "expected an input of 2 dimensions");
    CheckShape(labels, Shape{input.size(0)}, "target");
    classes = input.size(1);
    weighted = weights && weights.numel() > 0;
    if (weighted) CheckShape(weights, Shape{classes}, "weight");
    weight = weighted ? In<C>(weights) : In<C>::Constant(C(1));
  }
  DIOPI_HD C Probability(int64_t i) const {
    using std::exp;
    return C(1) / (C(1) + exp(-x[i]));
  }
  DIOPI_HD bool Positive(int64_t i) const { return target[i / classes] == i % classes; }
  DIOPI_HD C Weighted(int64_t i, const C& term) const {
    const C balanced = -(Positive(i) ? alpha : C(1) - alpha) * term;
    const int64_t label = target[i / classes];
    return weighted && label >= 0 && label < classes ? balanced * weight[label] : balanced;
  }
};

template <typename C>
struct MmcvSigmoidLoss {
  MmcvScores<C> of;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const {
    using std::log;
    using std::pow;
    const C p = of.Probability(i), q = C(1) - p;
    out.Set(i, of.Weighted(i, of.Positive(i) ? pow(q, of.gamma) * log(p) : pow(p, of.gamma) * log(q)));
  }
};

template <typename C>
struct MmcvSigmoidGradient {
  MmcvScores<C> of;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const {
    using std::log;
    using std::pow;
    const C p = of.Probability(i), q = C(1) - p;
    out.Set(i, of.Weighted(i, of.Positive(i) ? pow(q, of.gamma) * (q - of.gamma * p * log(p))
                                             : pow(p, of.gamma) * (of.gamma * q * log(q) - p)));
  }
};

}  // namespace

DIOPI_KERNEL(diopiSigmoidFocalLossMmcv, a) {
  const Tensor out(a.output), x(a.input);
  CheckShape(out, x.shape(), "output");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const MmcvScores<C> scores(x, a.target, a.weight, a.alpha, a.gamma);
    ForEach(Queue(a.ctx), x.numel(), MmcvSigmoidLoss<C>{scores, Out<C>(out)});
  });
}

DIOPI_KERNEL(diopiSigmoidFocalLossBackwardMmcv, a) {
  const Tensor out(a.grad_input), x(a.input);
  CheckShape(out, x.shape(), "grad_input");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const MmcvScores<C> scores(x, a.target, a.weight, a.alpha, a.gamma);
    ForEach(Queue(a.ctx), x.numel(), MmcvSigmoidGradient<C>{scores, Out<C>(out)});
  });
}

}  // namespace diopi::ops::both
