// One step of AdamW on one parameter, in place, as PyTorch's single-tensor form computes it:
//   param <- param * (1 - lr * weight_decay)
//   exp_avg <- beta1 * exp_avg + (1 - beta1) * grad
//   exp_avg_sq <- beta2 * exp_avg_sq + (1 - beta2) * grad^2
//   denom <- sqrt(amsgrad ? max(max_exp_avg_sq, exp_avg_sq) : exp_avg_sq) / sqrt(1 - beta2^step) + eps
//   param <- param - lr / (1 - beta1^step) * exp_avg / denom
#include "baselines/ops/optimizer/adamw_common.h"

extern "C" diopiError_t diopiAdamW(diopiContextHandle_t, diopiTensorHandle_t param,
                                   diopiConstTensorHandle_t grad, diopiTensorHandle_t exp_avg,
                                   diopiTensorHandle_t exp_avg_sq, diopiTensorHandle_t max_exp_avg_sq,
                                   float lr, float beta1, float beta2, float eps, float weight_decay,
                                   int64_t step, bool amsgrad) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const AdamWTensors t{param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq};
    const AdamW options{lr, beta1, beta2, eps, weight_decay, step, amsgrad};
    t.CheckShapes(options);
    DispatchFloating(ResultType(t.parameter, {t.parameter, t.gradient}), [&]<typename C>() {
      const AdamWStep<C> update(options);
      std::vector<C> p = Load<C>(t.parameter), m = Load<C>(t.first), v = Load<C>(t.second);
      std::vector<C> most = amsgrad ? Load<C>(t.greatest) : std::vector<C>();
      const std::vector<C> g = Load<C>(t.gradient);
      for (size_t i = 0; i < p.size(); ++i) update(g[i], p[i], m[i], v[i], amsgrad ? &most[i] : nullptr);
      Store(t.parameter, p);
      Store(t.first, m);
      Store(t.second, v);
      if (amsgrad) Store(t.greatest, most);
    });
  });
}
