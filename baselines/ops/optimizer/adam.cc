// One step of Adam or AdamW on one parameter, in place, as PyTorch's single-tensor form computes it:
//   grad <- grad + weight_decay * param              (Adam)
//   param <- param * (1 - lr * weight_decay)         (AdamW)
//   exp_avg <- beta1 * exp_avg + (1 - beta1) * grad
//   exp_avg_sq <- beta2 * exp_avg_sq + (1 - beta2) * grad^2
//   denom <- sqrt(amsgrad ? max(max_exp_avg_sq, exp_avg_sq) : exp_avg_sq) / sqrt(1 - beta2^step) + eps
//   param <- param - lr / (1 - beta1^step) * exp_avg / denom
#include <cmath>
#include <cstdint>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// What the host passes. The ABI has lr and its like as float; PyTorch computes the scalars in double.
struct AdamOptions {
  double lr, beta1, beta2, eps, weight_decay;
  int64_t step;
  bool amsgrad;
  bool decoupled;  // AdamW
};

// The scalars of one step, in the compute type.
template <typename C>
struct AdamStep {
  C decay, keep, beta1, rest1, beta2, rest2, root_correction2, eps, rate;
  bool with_decay, amsgrad, decoupled;

  explicit AdamStep(const AdamOptions& o)
      : decay(Rounded<C>(o.weight_decay)),
        keep(Rounded<C>(1.0 - o.lr * o.weight_decay)),
        beta1(Rounded<C>(o.beta1)),
        rest1(Rounded<C>(1.0 - o.beta1)),
        beta2(Rounded<C>(o.beta2)),
        rest2(Rounded<C>(1.0 - o.beta2)),
        root_correction2(Rounded<C>(std::sqrt(1.0 - std::pow(o.beta2, o.step)))),
        eps(Rounded<C>(o.eps)),
        rate(Rounded<C>(o.lr / (1.0 - std::pow(o.beta1, o.step)))),
        with_decay(o.weight_decay != 0),
        amsgrad(o.amsgrad),
        decoupled(o.decoupled) {}

  // In place; `greatest` only with amsgrad.
  DIOPI_HD void operator()(C g, C& p, C& m, C& v, C* greatest) const {
    using std::sqrt;
    if (decoupled) {
      p = p * keep;
    } else if (with_decay) {
      g = g + decay * p;
    }
    m = m * beta1 + g * rest1;
    v = v * beta2 + g * g * rest2;
    if (amsgrad && v > *greatest) *greatest = v;
    const C root = sqrt(amsgrad ? *greatest : v);
    p = p - rate * (m / (root / root_correction2 + eps));
  }
};

template <typename C>
struct AdamElements {
  AdamStep<C> update;
  In<C> gradient;
  Out<C> parameter, first, second, greatest;
  DIOPI_HD void operator()(int64_t i) const {
    C p = parameter[i], m = first[i], v = second[i], most = update.amsgrad ? greatest[i] : C(0);
    update(gradient[i], p, m, v, &most);
    parameter.Set(i, p);
    first.Set(i, m);
    second.Set(i, v);
    if (update.amsgrad) greatest.Set(i, most);
  }
};

template <typename Args>
void TakeStep(const Args& a, bool decoupled) {
  const AdamOptions options{a.lr, a.beta1, a.beta2, a.eps, a.weight_decay, a.step, a.amsgrad, decoupled};
  const Tensor parameter(a.param), gradient(a.grad), first(a.exp_avg), second(a.exp_avg_sq),
      greatest(a.max_exp_avg_sq);
  CheckShape(gradient, parameter.shape(), "grad");
  CheckShape(first, parameter.shape(), "exp_avg");
  CheckShape(second, parameter.shape(), "exp_avg_sq");
  if (a.amsgrad) CheckShape(greatest, parameter.shape(), "max_exp_avg_sq");
  Check(a.step >= 1, "step counts from 1, got ", a.step);
  DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
    ForEach(Queue(a.ctx), parameter.numel(),
            AdamElements<C>{AdamStep<C>(options), In<C>(gradient), Out<C>(parameter), Out<C>(first),
                            Out<C>(second), a.amsgrad ? Out<C>(greatest) : Out<C>()});
  });
}

}  // namespace

DIOPI_KERNEL(diopiAdam, a) {
  TakeStep(a, false);
}

DIOPI_KERNEL(diopiAdamW, a) {
  TakeStep(a, true);
}

}  // namespace diopi::ops::both
