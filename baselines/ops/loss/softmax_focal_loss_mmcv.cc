// MMCV's focal loss of sample n from p, the probability of its label t: -alpha * (1 - p)^gamma * log(p),
// times weight[t]. The gradient for the scores takes the derivative by log(p), which it leaves in buff, times
// (one-hot - probabilities).
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct MmcvProbabilities {
  In<C> p, weight;
  In<int64_t> target;
  C alpha, gamma;
  int64_t classes;
  bool weighted;

  MmcvProbabilities(const Tensor& softmax, const Tensor& labels, const Tensor& weights, float balance,
                    float exponent)
      : p(softmax), target(labels), alpha(Exact<C>(balance)), gamma(Exact<C>(exponent)) {
    Check(softmax.rank() == 2, "expected probabilities of 2 dimensions");
    CheckShape(labels, Shape{softmax.size(0)}, "target");
    classes = softmax.size(1);
    weighted = weights && weights.numel() > 0;
    if (weighted) CheckShape(weights, Shape{classes}, "weight");
    weight = weighted ? In<C>(weights) : In<C>::Constant(C(1));
  }
  // A label that is no class has the probability 1, and no loss.
  DIOPI_HD bool IsClass(int64_t n) const { return target[n] >= 0 && target[n] < classes; }
  DIOPI_HD C OfLabel(int64_t n) const { return IsClass(n) ? p[n * classes + target[n]] : C(1); }
  DIOPI_HD C Weighted(int64_t n, const C& value) const {
    if (!IsClass(n)) return C(0);
    return weighted ? value * weight[target[n]] : value;
  }
  // The derivative of the loss of sample n by the logarithm of its probability.
  DIOPI_HD C Factor(int64_t n) const {
    using std::log;
    using std::pow;
    const C pn = OfLabel(n), q = C(1) - pn;
    return Weighted(n, alpha * (gamma * pow(q, gamma - C(1)) * pn * log(pn) - pow(q, gamma)));
  }
};

template <typename C>
struct MmcvSoftmaxLoss {
  MmcvProbabilities<C> of;
  Out<C> out;
  DIOPI_HD void operator()(int64_t n) const {
    using std::log;
    using std::pow;
    const C p = of.OfLabel(n);
    out.Set(n, of.Weighted(n, -of.alpha * pow(C(1) - p, of.gamma) * log(p)));
  }
};

template <typename C>
struct MmcvSoftmaxFactors {
  MmcvProbabilities<C> of;
  Out<C> buff;
  DIOPI_HD void operator()(int64_t n) const { buff.Set(n, of.Factor(n)); }
};

template <typename C>
struct MmcvSoftmaxGradient {
  MmcvProbabilities<C> of;
  Out<C> out;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t n = i / of.classes;
    const C own = of.target[n] == i % of.classes ? C(1) : C(0);
    out.Set(i, of.Factor(n) * (own - of.p[i]));
  }
};

}  // namespace

DIOPI_KERNEL(diopiSoftmaxFocalLossMmcv, a) {
  const Tensor out(a.output), p(a.softmax), t(a.target);
  CheckShape(out, t.shape(), "output");
  DispatchFloating(ResultType(out, {p}), [&]<typename C>() {
    const MmcvProbabilities<C> of(p, t, a.weight, a.alpha, a.gamma);
    ForEach(Queue(a.ctx), t.numel(), MmcvSoftmaxLoss<C>{of, Out<C>(out)});
  });
}

DIOPI_KERNEL(diopiSoftmaxFocalLossBackwardMmcv, a) {
  const Tensor out(a.grad_input), buff(a.buff), p(a.softmax), t(a.target);
  CheckShape(out, p.shape(), "grad_input");
  CheckShape(buff, t.shape(), "buff");
  DispatchFloating(ResultType(out, {p}), [&]<typename C>() {
    const MmcvProbabilities<C> of(p, t, a.weight, a.alpha, a.gamma);
    ForEach(Queue(a.ctx), t.numel(), MmcvSoftmaxFactors<C>{of, Out<C>(buff)});
    ForEach(Queue(a.ctx), p.numel(), MmcvSoftmaxGradient<C>{of, Out<C>(out)});
  });
}

}  // namespace diopi::ops::both
