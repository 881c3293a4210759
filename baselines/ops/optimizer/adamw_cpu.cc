// One step of AdamW on one parameter, in place, as PyTorch's single-tensor form computes it:
//   param <- param * (1 - lr * weight_decay)
//   exp_avg <- beta1 * exp_avg + (1 - beta1) * grad
//   exp_avg_sq <- beta2 * exp_avg_sq + (1 - beta2) * grad^2
//   denom <- sqrt(amsgrad ? max(max_exp_avg_sq, exp_avg_sq) : exp_avg_sq) / sqrt(1 - beta2^step) + eps
//   param <- param - lr / (1 - beta1^step) * exp_avg / denom
#include "baselines/ops/optimizer/adamw_common.h"

DIOPI_KERNEL(diopiAdamW, a) {
  using namespace diopi::ops;
  const AdamWTensors t{a.param, a.grad, a.exp_avg, a.exp_avg_sq, a.max_exp_avg_sq};
  const AdamW options{a.lr, a.beta1, a.beta2, a.eps, a.weight_decay, a.step, a.amsgrad};
  t.CheckShapes(options);
  DispatchFloating(ResultType(t.parameter, {t.parameter, t.gradient}), [&]<typename C>() {
    const AdamWStep<C> update(options);
    std::vector<C> p = Load<C>(t.parameter), m = Load<C>(t.first), v = Load<C>(t.second);
    std::vector<C> most = a.amsgrad ? Load<C>(t.greatest) : std::vector<C>();
    const std::vector<C> g = Load<C>(t.gradient);
    for (size_t i = 0; i < p.size(); ++i) update(g[i], p[i], m[i], v[i], a.amsgrad ? &most[i] : nullptr);
    Store(t.parameter, p);
    Store(t.first, m);
    Store(t.second, v);
    if (a.amsgrad) Store(t.greatest, most);
  });
}
