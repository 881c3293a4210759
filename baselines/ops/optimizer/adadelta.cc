// One step of Adadelta on one parameter, in place:
//   grad <- grad + weight_decay * param
//   square_avg <- rho * square_avg + (1 - rho) * grad^2
//   delta <- sqrt(acc_delta + eps) / sqrt(square_avg + eps) * grad
//   acc_delta <- rho * acc_delta + (1 - rho) * delta^2
//   param <- param - lr * delta
#include <cmath>
#include <cstdint>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// The scalars of one step, in the compute type.
template <typename C>
struct AdadeltaStep {
  C rate, rho, rest, eps, decay;
  bool with_decay;

  explicit AdadeltaStep(const diopiAdadeltaArgs& a)
      : rate(Rounded<C>(static_cast<double>(a.lr))),
        rho(Rounded<C>(static_cast<double>(a.rho))),
        rest(Rounded<C>(1.0 - static_cast<double>(a.rho))),
        eps(Rounded<C>(static_cast<double>(a.eps))),
        decay(Rounded<C>(static_cast<double>(a.weight_decay))),
        with_decay(a.weight_decay != 0) {}

  // In place.
  DIOPI_HD void operator()(C g, C& p, C& squares, C& steps) const {
    using std::sqrt;
    if (with_decay) g = g + decay * p;
    squares = squares * rho + g * g * rest;
    const C delta = sqrt(steps + eps) / sqrt(squares + eps) * g;
    steps = steps * rho + delta * delta * rest;
    p = p - rate * delta;
  }
};

template <typename C>
struct AdadeltaElements {
  AdadeltaStep<C> update;
  In<C> gradient;
  Out<C> parameter, square_avg, acc_delta;
  DIOPI_HD void operator()(int64_t i) const {
    C p = parameter[i], squares = square_avg[i], steps = acc_delta[i];
    update(gradient[i], p, squares, steps);
    parameter.Set(i, p);
    square_avg.Set(i, squares);
    acc_delta.Set(i, steps);
  }
};

}  // namespace

DIOPI_KERNEL(diopiAdadelta, a) {
  const Tensor parameter(a.param), gradient(a.grad), squares(a.square_avg), steps(a.acc_delta);
  CheckShape(gradient, parameter.shape(), "grad");
  CheckShape(squares, parameter.shape(), "square_avg");
  CheckShape(steps, parameter.shape(), "acc_delta");
  DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
    ForEach(Queue(a.ctx), parameter.numel(),
            AdadeltaElements<C>{AdadeltaStep<C>(a), In<C>(gradient), Out<C>(parameter), Out<C>(squares),
                                Out<C>(steps)});
  });
}

}  // namespace diopi::ops::both
