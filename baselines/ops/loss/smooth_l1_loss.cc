// smooth_l1_loss of the distance d = |x - y|: d^2 / (2 * beta) below beta, and d - beta / 2 from there on.
#include "baselines/ops/loss/elementwise_loss.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct SmoothL1 {
  In<C> x, y;
  C beta;
  DIOPI_HD C operator()(int64_t i) const {
    using std::abs;
    const C distance = abs(x[i] - y[i]);
    if (distance < beta) return C(0.5) * distance * distance / beta;
    return distance - C(0.5) * beta;
  }
};

template <typename C>
struct SmoothL1Grad {
  In<C> g, x, y;
  C beta, factor;
  DIOPI_HD C operator()(int64_t i) const {
    const C difference = x[i] - y[i];
    if (difference <= -beta) return -factor * g[i];
    if (difference >= beta) return factor * g[i];
    return factor * difference * g[i] / beta;
  }
};

void CheckBeta(double beta) {
  Check(beta >= 0, "beta must not be negative, got ", beta);
}

}  // namespace

DIOPI_KERNEL(diopiSmoothL1Loss, a) {
  const Tensor out(a.out), x(a.input), y(a.target);
  CheckShape(y, x.shape(), "target");
  CheckBeta(a.beta);
  DispatchFloating(ResultType(out, {x, y}), [&]<typename C>() {
    ReduceLosses<C>(Queue(a.ctx), out, x.shape(), a.reduction,
                    SmoothL1<C>{In<C>(x), In<C>(y), Rounded<C>(a.beta)});
  });
}

DIOPI_KERNEL(diopiSmoothL1LossBackward, a) {
  const Tensor out(a.grad_input), g(a.grad_output), x(a.input), y(a.target);
  CheckShape(y, x.shape(), "target");
  CheckBeta(a.beta);
  DispatchFloating(ResultType(out, {g, x, y}), [&]<typename C>() {
    const SmoothL1Grad<C> gradient{LossGradients<C>(g, x.shape(), a.reduction), In<C>(x), In<C>(y),
                                   Rounded<C>(a.beta), Rounded<C>(MeanFactor(x.shape(), a.reduction))};
    StoreGradient<C>(Queue(a.ctx), out, x.shape(), gradient);
  });
}

}  // namespace diopi::ops::both
