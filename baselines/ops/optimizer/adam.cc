// One step of Adam or AdamW on one parameter or a list of them, in place, as PyTorch's single-tensor form
// computes it:
//   grad <- -grad                                    (maximize)
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

// The host's scalars. The ABI has lr and the others as float; PyTorch computes the scalars in double.
struct AdamOptions {
  double lr, beta1, beta2, eps, weight_decay;
  int64_t step;
  bool amsgrad;
  bool decoupled;  // AdamW
  bool maximize = false;
};

// The scalars of one step, in the compute type.
template <typename C>
struct AdamStep {
  C decay, keep, beta1, rest1, beta2, rest2, root_correction2, eps, rate;
  bool with_decay, amsgrad, decoupled, maximize;

  DIOPI_HD explicit AdamStep(const AdamOptions& o)
      : decay(Rounded<C>(o.weight_decay)),
        keep(Rounded<C>(1.0 - o.lr * o.weight_decay)),
        beta1(Rounded<C>(o.beta1)),
        rest1(Rounded<C>(1.0 - o.beta1)),
        beta2(Rounded<C>(o.beta2)),
        rest2(Rounded<C>(1.0 - o.beta2)),
        root_correction2(Rounded<C>(std::sqrt(1.0 - std::pow(o.beta2, static_cast<double>(o.step))))),
        eps(Rounded<C>(o.eps)),
        rate(Rounded<C>(o.lr / (1.0 - std::pow(o.beta1, static_cast<double>(o.step))))),
        with_decay(o.weight_decay != 0),
        amsgrad(o.amsgrad),
        decoupled(o.decoupled),
        maximize(o.maximize) {}

  // In place; `greatest` only with amsgrad.
  DIOPI_HD void operator()(C g, C& p, C& m, C& v, C* greatest) const {
    using std::sqrt;
    if (maximize) g = -g;
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

// A parameter, its gradient and its states.
struct AdamTensors {
  Tensor parameter, gradient, first, second, greatest;

  void CheckAll(bool amsgrad) const {
    CheckShape(gradient, parameter.shape(), "grad");
    CheckShape(first, parameter.shape(), "exp_avg");
    CheckShape(second, parameter.shape(), "exp_avg_sq");
    if (amsgrad) CheckShape(greatest, parameter.shape(), "max_exp_avg_sq");
  }
};

template <typename C>
struct AdamElements {
  In<C> gradient;
  Out<C> parameter, first, second, greatest;

  AdamElements(const AdamTensors& t, bool amsgrad)
      : gradient(t.gradient),
        parameter(t.parameter),
        first(t.first),
        second(t.second),
        greatest(amsgrad ? Out<C>(t.greatest) : Out<C>()) {}

  DIOPI_HD void Update(const AdamStep<C>& update, int64_t i) const {
    C p = parameter[i], m = first[i], v = second[i], most = update.amsgrad ? greatest[i] : C(0);
    update(gradient[i], p, m, v, &most);
    parameter.Set(i, p);
    first.Set(i, m);
    second.Set(i, v);
    if (update.amsgrad) greatest.Set(i, most);
  }
};

template <typename C>
struct OneStep {
  AdamStep<C> update;
  AdamElements<C> elements;
  DIOPI_HD void operator()(int64_t i) const { elements.Update(update, i); }
};

// The step count is a tensor on the device.
template <typename C>
struct CountedStep {
  AdamOptions options;
  In<int64_t> step;
  AdamElements<C> elements;
  DIOPI_HD void operator()(int64_t i) const {
    AdamOptions now = options;
    now.step = step[0];
    elements.Update(AdamStep<C>(now), i);
  }
};

template <typename Args>
void TakeStep(const Args& a, bool decoupled) {
  const AdamOptions options{a.lr, a.beta1, a.beta2, a.eps, a.weight_decay, a.step, a.amsgrad, decoupled};
  const AdamTensors tensors{a.param, a.grad, a.exp_avg, a.exp_avg_sq, a.max_exp_avg_sq};
  tensors.CheckAll(a.amsgrad);
  Check(a.step >= 1, "step counts from 1, got ", a.step);
  const Tensor& parameter = tensors.parameter;
  DispatchFloating(ResultType(parameter, {parameter, tensors.gradient}), [&]<typename C>() {
    ForEach(Queue(a.ctx), parameter.numel(),
            OneStep<C>{AdamStep<C>(options), AdamElements<C>(tensors, a.amsgrad)});
  });
}

}  // namespace

DIOPI_KERNEL(diopiAdam, a) {
  TakeStep(a, false);
}

DIOPI_KERNEL(diopiAdamW, a) {
  TakeStep(a, true);
}

DIOPI_KERNEL(diopiFusedAdamW, a) {
  const AdamOptions options{a.lr, a.beta1, a.beta2, a.eps, a.weight_decay, 0, a.amsgrad, true, a.maximize};
  Check(!a.amsgrad || a.max_exp_avg_sqs != nullptr, "amsgrad needs max_exp_avg_sqs");
  for (int64_t i = 0; i < a.nums; ++i) {
    const AdamTensors tensors{a.params[i], a.grads[i], a.exp_avgs[i], a.exp_avg_sqs[i],
                              a.amsgrad ? Tensor(a.max_exp_avg_sqs[i]) : Tensor()};
    const Tensor& parameter = tensors.parameter;
    const Tensor step(a.state_steps[i]);
    tensors.CheckAll(a.amsgrad);
    Check(step.numel() == 1, "a step count must have one element");
    DispatchFloating(ResultType(parameter, {parameter, tensors.gradient}), [&]<typename C>() {
      ForEach(Queue(a.ctx), parameter.numel(),
              CountedStep<C>{options, In<int64_t>(step), AdamElements<C>(tensors, a.amsgrad)});
    });
  }
}

}  // namespace diopi::ops::both
