// The focal loss of labels t with p = sigmoid(x), as DIOPI's own library has it:
//   -alpha * t * (1 - p)^gamma * log(p) - (1 - alpha) * (1 - t) * p^gamma * log(1 - p)
#include "baselines/ops/loss/elementwise_loss.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct FocalTerms {
  In<C> x, target;
  C alpha, gamma;

  FocalTerms(const Tensor& input, const Tensor& labels, float weight, float exponent)
      : x(input), target(labels), alpha(Exact<C>(weight)), gamma(Exact<C>(exponent)) {
    CheckShape(labels, input.shape(), "target");
  }
  DIOPI_HD C Probability(int64_t i) const {
    using std::exp;
    return C(1) / (C(1) + exp(-x[i]));
  }
  // The weighted contributions of labels 1 and 0.
  DIOPI_HD C Weighted(int64_t i, const C& positive, const C& negative) const {
    const C t = target[i];
    return -t * positive * alpha - (C(1) - t) * negative * (C(1) - alpha);
  }
};

template <typename C>
struct FocalLoss {
  FocalTerms<C> of;
  DIOPI_HD C operator()(int64_t i) const {
    using std::log;
    using std::pow;
    const C p = of.Probability(i), q = C(1) - p;
    return of.Weighted(i, pow(q, of.gamma) * log(p), pow(p, of.gamma) * log(q));
  }
};

// The derivatives of the terms: (1 - p)^gamma * (1 - p - gamma * p * log(p)), and
// p^gamma * (gamma * (1 - p) * log(1 - p) - p).
template <typename C>
struct FocalGradient {
  FocalTerms<C> of;
  In<C> g;
  C count;
  bool mean;
  DIOPI_HD C operator()(int64_t i) const {
    using std::log;
    using std::pow;
    const C p = of.Probability(i), q = C(1) - p;
    const C positive = pow(q, of.gamma) * (q - of.gamma * p * log(p));
    const C negative = pow(p, of.gamma) * (of.gamma * q * log(q) - p);
    const C gradient = mean ? g[i] / count : g[i];
    return gradient * of.Weighted(i, positive, negative);
  }
};

}  // namespace

DIOPI_KERNEL(diopiSigmoidFocalLoss, a) {
  const Tensor out(a.out), x(a.inputs), t(a.targets);
  DispatchFloating(ResultType(out, {x, t}), [&]<typename C>() {
    ReduceLosses<C>(Queue(a.ctx), out, x.shape(), a.reduction,
                    FocalLoss<C>{FocalTerms<C>(x, t, a.alpha, a.gamma)});
  });
}

DIOPI_KERNEL(diopiSigmoidFocalLossBackward, a) {
  const Tensor out(a.grad_input), g(a.grad_output), x(a.input), t(a.target);
  DispatchFloating(ResultType(out, {g, x, t}), [&]<typename C>() {
    const FocalGradient<C> gradient{FocalTerms<C>(x, t, a.alpha, a.gamma),
                                    LossGradients<C>(g, x.shape(), a.reduction), Exact<C>(x.numel()),
                                    a.reduction == ReductionMean};
    StoreGradient<C>(Queue(a.ctx), out, x.shape(), gradient);
  });
}

}  // namespace diopi::ops::both
