// One step of stochastic gradient descent on one parameter, in place:
//   g <- grad + weight_decay * param
//   buf <- momentum * buf + (1 - dampening) * g      when momentum is not 0 and there is a buffer
//   g <- nesterov ? g + momentum * buf : buf
//   param <- param - lr * g
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// The scalars of one step, in the compute type.
template <typename C>
struct SgdStep {
  C rate, decay, mu, keep;
  bool with_decay, with_momentum, nesterov;

  SgdStep(const diopiSgdArgs& a, bool momentum)
      : rate(Rounded<C>(a.lr)),
        decay(Rounded<C>(a.weight_decay)),
        mu(Rounded<C>(a.momentum)),
        keep(Rounded<C>(1.0 - a.dampening)),
        with_decay(a.weight_decay != 0),
        with_momentum(momentum),
        nesterov(a.nesterov) {}

  // In place; `buffer` only with momentum.
  DIOPI_HD void operator()(C g, C& p, C* buffer) const {
    if (with_decay) g = g + decay * p;
    if (with_momentum) {
      *buffer = mu * *buffer + keep * g;
      g = nesterov ? g + mu * *buffer : *buffer;
    }
    p = p - rate * g;
  }
};

template <typename C>
struct SgdElements {
  SgdStep<C> update;
  In<C> gradient;
  Out<C> parameter, buffer;
  DIOPI_HD void operator()(int64_t i) const {
    C p = parameter[i], b = update.with_momentum ? buffer[i] : C(0);
    update(gradient[i], p, &b);
    parameter.Set(i, p);
    if (update.with_momentum) buffer.Set(i, b);
  }
};

}  // namespace

DIOPI_KERNEL(diopiSgd, a) {
  const Tensor parameter(a.param), gradient(static_cast<diopiConstTensorHandle_t>(a.grad)), buffer(a.buf);
  const bool with_momentum = buffer && a.momentum != 0;
  CheckShape(gradient, parameter.shape(), "grad");
  if (with_momentum) CheckShape(buffer, parameter.shape(), "buf");
  DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
    ForEach(Queue(a.ctx), parameter.numel(),
            SgdElements<C>{SgdStep<C>(a, with_momentum), In<C>(gradient), Out<C>(parameter),
                           with_momentum ? Out<C>(buffer) : Out<C>()});
  });
}

}  // namespace diopi::ops::both
