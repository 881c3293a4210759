// The step of AdamW on one element, shared by the CPU and the NVIDIA reference.
#ifndef BASELINES_OPS_OPTIMIZER_ADAMW_COMMON_H_
#define BASELINES_OPS_OPTIMIZER_ADAMW_COMMON_H_

#include <cmath>
#include <cstdint>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// What the host passes. The ABI has lr and its like as float; PyTorch computes the scalars in double.
struct AdamW {
  double lr, beta1, beta2, eps, weight_decay;
  int64_t step;
  bool amsgrad;
};

struct AdamWTensors {
  Tensor parameter, gradient, first, second, greatest;

  void CheckShapes(const AdamW& options) const {
    CheckShape(gradient, parameter.shape(), "grad");
    CheckShape(first, parameter.shape(), "exp_avg");
    CheckShape(second, parameter.shape(), "exp_avg_sq");
    if (options.amsgrad) CheckShape(greatest, parameter.shape(), "max_exp_avg_sq");
    Check(options.step >= 1, "step counts from 1, got ", options.step);
  }
};

// The scalars of one step, in the compute type.
template <typename C>
struct AdamWStep {
  C keep, beta1, rest1, beta2, rest2, root_correction2, eps, rate;
  bool amsgrad;

  explicit AdamWStep(const AdamW& o)
      : keep(Rounded<C>(1.0 - o.lr * o.weight_decay)),
        beta1(Rounded<C>(o.beta1)),
        rest1(Rounded<C>(1.0 - o.beta1)),
        beta2(Rounded<C>(o.beta2)),
        rest2(Rounded<C>(1.0 - o.beta2)),
        root_correction2(Rounded<C>(std::sqrt(1.0 - std::pow(o.beta2, o.step)))),
        eps(Rounded<C>(o.eps)),
        rate(Rounded<C>(o.lr / (1.0 - std::pow(o.beta1, o.step)))),
        amsgrad(o.amsgrad) {}

  // In place; `greatest` only with amsgrad.
  DIOPI_HD void operator()(const C& g, C& p, C& m, C& v, C* greatest) const {
    using std::sqrt;
    p = p * keep;
    m = m * beta1 + g * rest1;
    v = v * beta2 + g * g * rest2;
    if (amsgrad && v > *greatest) *greatest = v;
    const C root = sqrt(amsgrad ? *greatest : v);
    const C denominator = root / root_correction2 + eps;
    p = p - rate * (m / denominator);
  }
};

}  // namespace diopi::ops

#endif  // BASELINES_OPS_OPTIMIZER_ADAMW_COMMON_H_
