// One step of stochastic gradient descent on one parameter, in place:
//   g <- grad + weight_decay * param
//   buf <- momentum * buf + (1 - dampening) * g      when momentum is not 0 and there is a buffer
//   g <- nesterov ? g + momentum * buf : buf
//   param <- param - lr * g
#include "baselines/ops/optimizer/sgd_common.h"

DIOPI_KERNEL(diopiSgd, a) {
  using namespace diopi::ops;
  const Tensor parameter(a.param), gradient(static_cast<diopiConstTensorHandle_t>(a.grad)), buffer(a.buf);
  const Sgd options{a.lr, a.momentum, a.dampening, a.weight_decay, a.nesterov};
  const bool with_momentum = CheckSgd(parameter, gradient, buffer, options);
  DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
    const SgdStep<C> update(options, with_momentum);
    std::vector<C> p = Load<C>(parameter);
    const std::vector<C> gradients = Load<C>(gradient);
    std::vector<C> b = with_momentum ? Load<C>(buffer) : std::vector<C>();
    for (size_t i = 0; i < p.size(); ++i) update(gradients[i], p[i], with_momentum ? &b[i] : nullptr);
    Store(parameter, p);
    if (with_momentum) Store(buffer, b);
  });
}
