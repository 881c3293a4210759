// One step of RMSprop on one parameter, in place:
//   grad <- grad + weight_decay * param
//   square_avg <- alpha * square_avg + (1 - alpha) * grad^2
//   grad_avg <- alpha * grad_avg + (1 - alpha) * grad                   when centered
//   avg <- sqrt(centered ? square_avg - grad_avg^2 : square_avg) + eps
//   momentum_buf <- momentum * momentum_buf + grad / avg                when momentum is above 0
//   param <- param - lr * (momentum > 0 ? momentum_buf : grad / avg)
#include <cmath>
#include <cstdint>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// The scalars of one step, in the compute type.
template <typename C>
struct RmspropStep {
  C rate, alpha, rest, eps, decay, momentum;
  bool with_decay, with_momentum, centered;

  explicit RmspropStep(const diopiRmspropArgs& a)
      : rate(Rounded<C>(static_cast<double>(a.lr))),
        alpha(Rounded<C>(static_cast<double>(a.alpha))),
        rest(Rounded<C>(1.0 - static_cast<double>(a.alpha))),
        eps(Rounded<C>(static_cast<double>(a.eps))),
        decay(Rounded<C>(static_cast<double>(a.weight_decay))),
        momentum(Rounded<C>(static_cast<double>(a.momentum))),
        with_decay(a.weight_decay != 0),
        with_momentum(a.momentum > 0),
        centered(a.centered) {}

  // In place; `mean` only when centered, `buffer` only with momentum.
  DIOPI_HD void operator()(C g, C& p, C& squares, C* mean, C* buffer) const {
    using std::sqrt;
    if (with_decay) g = g + decay * p;
    squares = squares * alpha + g * g * rest;
    C variance = squares;
    if (centered) {
      *mean = *mean * alpha + g * rest;
      variance = squares - *mean * *mean;
    }
    C step = g / (sqrt(variance) + eps);
    if (with_momentum) {
      *buffer = *buffer * momentum + step;
      step = *buffer;
    }
    p = p - rate * step;
  }
};

template <typename C>
struct RmspropElements {
  RmspropStep<C> update;
  In<C> gradient;
  Out<C> parameter, square_avg, grad_avg, momentum_buf;
  DIOPI_HD void operator()(int64_t i) const {
    C p = parameter[i], squares = square_avg[i];
    C mean = update.centered ? grad_avg[i] : C(0), buffer = update.with_momentum ? momentum_buf[i] : C(0);
    update(gradient[i], p, squares, &mean, &buffer);
    parameter.Set(i, p);
    square_avg.Set(i, squares);
    if (update.centered) grad_avg.Set(i, mean);
    if (update.with_momentum) momentum_buf.Set(i, buffer);
  }
};

}  // namespace

DIOPI_KERNEL(diopiRmsprop, a) {
  const Tensor parameter(a.param), gradient(a.grad), squares(a.square_avg), mean(a.grad_avg),
      buffer(a.momentum_buf);
  CheckShape(gradient, parameter.shape(), "grad");
  CheckShape(squares, parameter.shape(), "square_avg");
  if (a.centered) CheckShape(mean, parameter.shape(), "grad_avg");
  if (a.momentum > 0) CheckShape(buffer, parameter.shape(), "momentum_buf");
  DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
    ForEach(
        Queue(a.ctx), parameter.numel(),
        RmspropElements<C>{RmspropStep<C>(a), In<C>(gradient), Out<C>(parameter), Out<C>(squares),
                           a.centered ? Out<C>(mean) : Out<C>(), a.momentum > 0 ? Out<C>(buffer) : Out<C>()});
  });
}

}  // namespace diopi::ops::both
