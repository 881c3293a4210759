// Bugs injected in the optimizers' steps.
#include <cmath>

#include "baselines/bugs/support.h"
#include "baselines/ops/support/tensor.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::Store;
using diopi::bugs::Stored;
using diopi::bugs::Tensor;
using diopi::bugs::ToHalf;

BUG(adamw_eps_inside_root, 41, "diopiAdamW", "", "eps is added under the square root");
BUG(adamw_no_bias_correction, 42, "diopiAdamW", "", "neither moment is corrected for its start at 0");
BUG(adamw_decay_ignored, 43, "diopiAdamW", "", "weight_decay is taken as 0");
BUG(adamw_amsgrad_ignored, 0, "diopiAdamW", "", "amsgrad is taken as false");
BUG(adamw_decay_coupled, 0, "diopiAdamW", "", "weight decay is added to the gradient, as in Adam");
BUG(adamw_step_from_zero, 0, "diopiAdamW", "", "the bias correction takes step + 1");
BUG(adamw_moments_rounded, 0, "diopiAdamW", "", "the moments are rounded to the type before they are used");
BUG(sgd_nesterov_ignored, 0, "diopiSgd", "", "nesterov is taken as false");
BUG(sgd_dampening_ignored, 0, "diopiSgd", "", "dampening is taken as 0");
BUG(sgd_every_step_first, 0, "diopiSgd", "", "the buffer is set to the gradient, as in the first step");
BUG(sgd_decay_after_step, 0, "diopiSgd", "", "weight decay shrinks the parameter after the step");
BUG(sgd_buffer_has_rate, 0, "diopiSgd", "", "the buffer keeps the gradient times the learning rate");
BUG(clip_norm_without_epsilon, 0, "diopiClipGradNorm", "",
    "max_norm is divided by the norm without the 1e-6");
BUG(clip_norm_each_tensor, 0, "diopiClipGradNorm", "", "every tensor is clipped by its own norm");
BUG(clip_norm_scales_up, 0, "diopiClipGradNorm", "", "a small norm is raised to max_norm");
BUG(clip_norm_infinity_signed, 0, "diopiClipGradNorm", "",
    "the infinity norm is the maximum, not of absolutes");
BUG(clip_norm_type_ignored, 0, "diopiClipGradNorm", "", "the norm is always the 2-norm");
BUG(clip_norm_squares_fp16, 0, "diopiClipGradNorm", "", "the squares are added up in float16");

// double for float64, float for the others, as the reference computes.
template <typename F>
void InFloats(diopiDtype_t dtype, F&& f) {
  if (dtype == diopi_dtype_float64) return f.template operator()<double>();
  f.template operator()<float>();
}

struct AdamW {
  Tensor param, grad, exp_avg, exp_avg_sq, max_exp_avg_sq;
  double lr, beta1, beta2, eps, weight_decay;
  int64_t step;
  bool amsgrad;
};

template <typename C>
void AdamWStep(const AdamW& o) {
  const auto c = [](double x) { return static_cast<C>(x); };
  std::vector<C> p = Load<C>(o.param), m = Load<C>(o.exp_avg), v = Load<C>(o.exp_avg_sq);
  std::vector<C> most = o.amsgrad ? Load<C>(o.max_exp_avg_sq) : std::vector<C>();
  const std::vector<C> gradient = Load<C>(o.grad);
  const bool corrected = !adamw_no_bias_correction;
  const double correction1 = corrected ? 1 - std::pow(o.beta1, o.step) : 1;
  const double correction2 = corrected ? 1 - std::pow(o.beta2, o.step) : 1;
  for (size_t i = 0; i < p.size(); ++i) {
    C g = gradient[i];
    if (adamw_decay_coupled) {
      g += c(o.weight_decay) * p[i];
    } else {
      p[i] *= c(1 - o.lr * o.weight_decay);
    }
    m[i] = m[i] * c(o.beta1) + g * c(1 - o.beta1);
    v[i] = v[i] * c(o.beta2) + g * g * c(1 - o.beta2);
    if (adamw_moments_rounded) {
      m[i] = Stored(o.exp_avg.dtype(), m[i]);
      v[i] = Stored(o.exp_avg_sq.dtype(), v[i]);
    }
    if (o.amsgrad) most[i] = std::max(most[i], v[i]);
    const C second = (o.amsgrad ? most[i] : v[i]) / c(correction2);
    const C denominator = adamw_eps_inside_root ? std::sqrt(second + c(o.eps)) : std::sqrt(second) + c(o.eps);
    p[i] -= c(o.lr / correction1) * (m[i] / denominator);
  }
  Store(o.param, p);
  Store(o.exp_avg, m);
  Store(o.exp_avg_sq, v);
  if (o.amsgrad) Store(o.max_exp_avg_sq, most);
}

struct Sgd {
  Tensor param, grad, buffer;
  double lr, momentum, dampening, weight_decay;
  bool nesterov;
};

template <typename C>
void SgdStep(const Sgd& o) {
  const auto c = [](double x) { return static_cast<C>(x); };
  const bool with_momentum = o.buffer && o.momentum != 0;
  std::vector<C> p = Load<C>(o.param), b = with_momentum ? Load<C>(o.buffer) : std::vector<C>();
  const std::vector<C> gradient = Load<C>(o.grad);
  const C mu = c(o.momentum), rate = c(o.lr), decay = c(o.weight_decay);
  for (size_t i = 0; i < p.size(); ++i) {
    C g = gradient[i];
    if (!sgd_decay_after_step) g += decay * p[i];
    C step = rate * g;
    if (with_momentum && sgd_buffer_has_rate) {
      b[i] = mu * b[i] + rate * c(1 - o.dampening) * g;
      step = o.nesterov ? rate * g + mu * b[i] : b[i];
    } else if (with_momentum) {
      b[i] = sgd_every_step_first ? g : mu * b[i] + c(1 - o.dampening) * g;
      step = rate * (o.nesterov ? g + mu * b[i] : b[i]);
    }
    p[i] -= step;
    if (sgd_decay_after_step) p[i] -= rate * decay * p[i];
  }
  Store(o.param, p);
  if (with_momentum) Store(o.buffer, b);
}

// The norm of some gradients, with the injected ways to take it.
template <typename C>
C Norm(const std::vector<std::vector<C>>& gradients, double p) {
  C total = 0;
  for (const std::vector<C>& gradient : gradients) {
    for (const C& g : gradient) {
      const C magnitude = std::abs(g);
      if (std::isinf(p)) {
        total = std::max(total, clip_norm_infinity_signed ? g : magnitude);
      } else if (clip_norm_squares_fp16 && p == 2) {
        total = static_cast<C>(ToHalf(static_cast<double>(total + g * g)));
      } else {
        total += p == 2 ? g * g : p == 1 ? magnitude : std::pow(magnitude, static_cast<C>(p));
      }
    }
  }
  if (std::isinf(p) || p == 1) return total;
  return p == 2 ? std::sqrt(total) : std::pow(total, static_cast<C>(1 / p));
}

template <typename C>
void ClipGradNorm(double* out, const std::vector<Tensor>& tensors, double max_norm, double norm_type) {
  std::vector<std::vector<C>> gradients;
  gradients.reserve(tensors.size());
  for (const Tensor& tensor : tensors) gradients.push_back(Load<C>(tensor));
  const C norm = Norm(gradients, norm_type);
  *out = static_cast<double>(norm);
  for (size_t i = 0; i < tensors.size(); ++i) {
    const C mine = clip_norm_each_tensor ? Norm<C>({gradients[i]}, norm_type) : norm;
    const C below = clip_norm_without_epsilon ? mine : mine + static_cast<C>(1e-6);
    const C coefficient = static_cast<C>(max_norm) / below;
    if (coefficient >= 1 && !clip_norm_scales_up) continue;
    for (C& g : gradients[i]) g *= coefficient;
    Store(tensors[i], gradients[i]);
  }
}

}  // namespace

DIOPI_OVERRIDE(diopiAdamW, a) {
  if (adamw_decay_ignored) a.weight_decay = 0;
  if (adamw_amsgrad_ignored) a.amsgrad = false;
  if (adamw_step_from_zero) ++a.step;
  const bool own =
      adamw_eps_inside_root || adamw_no_bias_correction || adamw_decay_coupled || adamw_moments_rounded;
  if (!own) {
    return Good(a);
  }
  const AdamW o{a.param, a.grad,  a.exp_avg, a.exp_avg_sq,   a.max_exp_avg_sq, a.lr,
                a.beta1, a.beta2, a.eps,     a.weight_decay, a.step,           a.amsgrad};
  InFloats(o.param.dtype(), [&]<typename C>() { AdamWStep<C>(o); });
}

DIOPI_OVERRIDE(diopiSgd, a) {
  if (sgd_nesterov_ignored) a.nesterov = false;
  if (sgd_dampening_ignored) a.dampening = 0;
  if (!sgd_every_step_first && !sgd_decay_after_step && !sgd_buffer_has_rate) {
    return Good(a);
  }
  const Sgd o{a.param, a.grad, a.buf, a.lr, a.momentum, a.dampening, a.weight_decay, a.nesterov};
  InFloats(o.param.dtype(), [&]<typename C>() { SgdStep<C>(o); });
}

DIOPI_OVERRIDE(diopiClipGradNorm, a) {
  if (clip_norm_type_ignored) a.norm_type = 2;
  const bool own = clip_norm_without_epsilon || clip_norm_each_tensor || clip_norm_scales_up ||
                   clip_norm_infinity_signed || clip_norm_squares_fp16;
  if (!own || a.num_grads == 0) {
    return Good(a);
  }
  const std::vector<Tensor> tensors(a.grads, a.grads + a.num_grads);
  InFloats(tensors[0].dtype(),
           [&]<typename C>() { ClipGradNorm<C>(a.out, tensors, a.max_norm, a.norm_type); });
}
