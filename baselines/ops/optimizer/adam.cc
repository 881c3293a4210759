// One step of Adam on one parameter, in place, as PyTorch's single-tensor form computes it:
//   grad <- grad + weight_decay * param
//   exp_avg <- beta1 * exp_avg + (1 - beta1) * grad
//   exp_avg_sq <- beta2 * exp_avg_sq + (1 - beta2) * grad^2
//   denom <- sqrt(amsgrad ? max(max_exp_avg_sq, exp_avg_sq) : exp_avg_sq) / sqrt(1 - beta2^step) + eps
//   param <- param - lr / (1 - beta1^step) * exp_avg / denom
#include <cmath>
#include <cstdint>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// The scalars of one step, in the compute type. The ABI has lr and its like as float; PyTorch computes the
// scalars in double.
template <typename C>
struct AdamStep {
  C decay, beta1, rest1, beta2, rest2, root_correction2, eps, rate;
  bool with_decay, amsgrad;

  explicit AdamStep(const diopiAdamArgs& a)
      : decay(Rounded<C>(static_cast<double>(a.weight_decay))),
        beta1(Rounded<C>(static_cast<double>(a.beta1))),
        rest1(Rounded<C>(1.0 - static_cast<double>(a.beta1))),
        beta2(Rounded<C>(static_cast<double>(a.beta2))),
        rest2(Rounded<C>(1.0 - static_cast<double>(a.beta2))),
        root_correction2(Rounded<C>(std::sqrt(1.0 - std::pow(static_cast<double>(a.beta2), a.step)))),
        eps(Rounded<C>(static_cast<double>(a.eps))),
        rate(Rounded<C>(static_cast<double>(a.lr) / (1.0 - std::pow(static_cast<double>(a.beta1), a.step)))),
        with_decay(a.weight_decay != 0),
        amsgrad(a.amsgrad) {}

  // In place; `greatest` only with amsgrad.
  DIOPI_HD void operator()(C g, C& p, C& m, C& v, C* greatest) const {
    using std::sqrt;
    if (with_decay) g = g + decay * p;
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

}  // namespace

DIOPI_KERNEL(diopiAdam, a) {
  const Tensor parameter(a.param), gradient(a.grad), first(a.exp_avg), second(a.exp_avg_sq),
      greatest(a.max_exp_avg_sq);
  CheckShape(gradient, parameter.shape(), "grad");
  CheckShape(first, parameter.shape(), "exp_avg");
  CheckShape(second, parameter.shape(), "exp_avg_sq");
  if (a.amsgrad) CheckShape(greatest, parameter.shape(), "max_exp_avg_sq");
  Check(a.step >= 1, "step counts from 1, got ", a.step);
  DispatchFloating(ResultType(parameter, {parameter, gradient}), [&]<typename C>() {
    ForEach(Queue(a.ctx), parameter.numel(),
            AdamElements<C>{AdamStep<C>(a), In<C>(gradient), Out<C>(parameter), Out<C>(first), Out<C>(second),
                            a.amsgrad ? Out<C>(greatest) : Out<C>()});
  });
}

}  // namespace diopi::ops::both
