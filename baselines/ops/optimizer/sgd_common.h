// The step of stochastic gradient descent on one element, shared by the CPU and the NVIDIA reference.
#ifndef BASELINES_OPS_OPTIMIZER_SGD_COMMON_H_
#define BASELINES_OPS_OPTIMIZER_SGD_COMMON_H_

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

struct Sgd {
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
};

// Fail for shapes that differ. True when the buffer takes part.
inline bool CheckSgd(const Tensor& parameter, const Tensor& gradient, const Tensor& buffer,
                     const Sgd& options) {
  CheckShape(gradient, parameter.shape(), "grad");
  const bool with_momentum = buffer && options.momentum != 0;
  if (with_momentum) CheckShape(buffer, parameter.shape(), "buf");
  return with_momentum;
}

// The scalars of one step, in the compute type.
template <typename C>
struct SgdStep {
  C rate, decay, mu, keep;
  bool with_decay, with_momentum, nesterov;

  SgdStep(const Sgd& o, bool momentum)
      : rate(Rounded<C>(o.lr)),
        decay(Rounded<C>(o.weight_decay)),
        mu(Rounded<C>(o.momentum)),
        keep(Rounded<C>(1.0 - o.dampening)),
        with_decay(o.weight_decay != 0),
        with_momentum(momentum),
        nesterov(o.nesterov) {}

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

}  // namespace diopi::ops

#endif  // BASELINES_OPS_OPTIMIZER_SGD_COMMON_H_
