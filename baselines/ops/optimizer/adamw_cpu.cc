// One step of AdamW on one parameter, in place, as PyTorch's single-tensor form computes it:
//   param <- param * (1 - lr * weight_decay)
//   exp_avg <- beta1 * exp_avg + (1 - beta1) * grad
//   exp_avg_sq <- beta2 * exp_avg_sq + (1 - beta2) * grad^2
//   denom <- sqrt(amsgrad ? max(max_exp_avg_sq, exp_avg_sq) : exp_avg_sq) / sqrt(1 - beta2^step) + eps
//   param <- param - lr / (1 - beta1^step) * exp_avg / denom
// The ABI passes lr and its like as float; PyTorch computes the scalars in double.
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {
namespace {

struct AdamW {
  double lr, beta1, beta2, eps, weight_decay;
  double bias_correction1, bias_correction2;
  bool amsgrad;
};

template <typename C>
void Step(const AdamW& o, const C& g, C& p, C& m, C& v, C* greatest) {
  using std::sqrt;
  p = p * Rounded<C>(1.0 - o.lr * o.weight_decay);
  m = m * Rounded<C>(o.beta1) + g * Rounded<C>(1.0 - o.beta1);
  v = v * Rounded<C>(o.beta2) + g * g * Rounded<C>(1.0 - o.beta2);
  if (o.amsgrad && v > *greatest) *greatest = v;
  const C root = sqrt(o.amsgrad ? *greatest : v);
  const C denominator = root / Rounded<C>(std::sqrt(o.bias_correction2)) + Rounded<C>(o.eps);
  p = p - Rounded<C>(o.lr / o.bias_correction1) * (m / denominator);
}

}  // namespace
}  // namespace diopi::ops

extern "C" diopiError_t diopiAdamW(diopiContextHandle_t, diopiTensorHandle_t param,
                                   diopiConstTensorHandle_t grad, diopiTensorHandle_t exp_avg,
                                   diopiTensorHandle_t exp_avg_sq, diopiTensorHandle_t max_exp_avg_sq,
                                   float lr, float beta1, float beta2, float eps, float weight_decay,
                                   int64_t step, bool amsgrad) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor parameter(param), gradient(grad), first(exp_avg), second(exp_avg_sq),
        greatest(max_exp_avg_sq);
    CheckShape(gradient, parameter.shape(), "grad");
    CheckShape(first, parameter.shape(), "exp_avg");
    CheckShape(second, parameter.shape(), "exp_avg_sq");
    if (amsgrad) CheckShape(greatest, parameter.shape(), "max_exp_avg_sq");
    Check(step >= 1, "step counts from 1, got ", step);
    const AdamW options{lr,
                        beta1,
                        beta2,
                        eps,
                        weight_decay,
                        1.0 - std::pow(double{beta1}, step),
                        1.0 - std::pow(double{beta2}, step),
                        amsgrad};
    DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
      std::vector<C> p = Load<C>(parameter), m = Load<C>(first), v = Load<C>(second);
      std::vector<C> most = amsgrad ? Load<C>(greatest) : std::vector<C>();
      const std::vector<C> g = Load<C>(gradient);
      for (size_t i = 0; i < p.size(); ++i)
        Step(options, g[i], p[i], m[i], v[i], amsgrad ? &most[i] : nullptr);
      Store(parameter, p);
      Store(first, m);
      Store(second, v);
      if (amsgrad) Store(greatest, most);
    });
  });
}
