// mse_loss: (x - y)^2. Its gradient: 2 * (x - y), over the number of elements for the mean.
#include "baselines/ops/loss/elementwise_loss.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct SquaredError {
  In<C> x, y;
  DIOPI_HD C operator()(int64_t i) const {
    const C difference = x[i] - y[i];
    return difference * difference;
  }
};

template <typename C>
struct SquaredErrorGrad {
  In<C> g, x, y;
  C factor;
  DIOPI_HD C operator()(int64_t i) const { return factor * (x[i] - y[i]) * g[i]; }
};

}  // namespace

DIOPI_KERNEL(diopiMSELoss, a) {
  const Tensor out(a.out), x(a.input), y(a.target);
  CheckShape(y, x.shape(), "target");
  DispatchFloating(ResultType(out, {x, y}), [&]<typename C>() {
    ReduceLosses<C>(Queue(a.ctx), out, x.shape(), a.reduction, SquaredError<C>{In<C>(x), In<C>(y)});
  });
}

DIOPI_KERNEL(diopiMSELossBackward, a) {
  const Tensor out(a.grad_input), g(a.grad_output), x(a.input), y(a.target);
  CheckShape(y, x.shape(), "target");
  DispatchFloating(ResultType(out, {g, x, y}), [&]<typename C>() {
    const SquaredErrorGrad<C> gradient{LossGradients<C>(g, x.shape(), a.reduction), In<C>(x), In<C>(y),
                                       Rounded<C>(2 * MeanFactor(x.shape(), a.reduction))};
    StoreGradient<C>(Queue(a.ctx), out, x.shape(), gradient);
  });
}

}  // namespace diopi::ops::both
