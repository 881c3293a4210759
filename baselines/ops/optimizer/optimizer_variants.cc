// Optimiser steps as fused kernels write them, and the norm of gradients tensor by tensor.
#include "baselines/injected/injected.h"
#include "baselines/ops/support/tensor.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(adamw_lerp, "diopiAdamW", "", "moments by m + (1 - beta) * (g - m), as in newer PyTorch");
VARIANT(adamw_fma, "diopiAdamW", "", "every multiplication and addition fused");
VARIANT(adamw_double, "diopiAdamW", "", "in the next wider type");
VARIANT(adamw_scaled_step, "diopiAdamW", "",
        "lr * sqrt(bias correction) in the step, eps scaled to match: one division an element");
VARIANT(sgd_fma, "diopiSgd", "", "every multiplication and addition fused");
VARIANT(sgd_double, "diopiSgd", "", "in the next wider type");
constexpr char kClip[] = "diopiClipGradNorm";
VARIANT(clip_norm_of_norms, kClip, "", "the norm of the tensors' norms, each in runs of 32, as in PyTorch");
VARIANT(clip_norm_double, kClip, "", "the sum in the next wider type");
VARIANT(clip_norm_pairwise, kClip, "", "the sum in halves");

template <typename W>
W MulAdd(bool fused, const W& a, const W& b, const W& c) {
  return fused ? std::fma(a, b, c) : a * b + c;
}

struct AdamW {
  double lr, beta1, beta2, eps, weight_decay, correction1, correction2;
  bool amsgrad;

  // One element; W is the type computed in.
  template <typename W>
  void Step(const W& g, W& p, W& m, W& v, W& greatest) const {
    const bool fused = static_cast<bool>(adamw_fma);
    const W keep1 = static_cast<W>(beta1), take1 = static_cast<W>(1.0 - beta1);
    const W keep2 = static_cast<W>(beta2), take2 = static_cast<W>(1.0 - beta2);
    p *= static_cast<W>(1.0 - lr * weight_decay);
    m = adamw_lerp ? m + take1 * (g - m) : MulAdd(fused, m, keep1, g * take1);
    v = MulAdd(fused, take2 * g, g, v * keep2);
    if (amsgrad && v > greatest) greatest = v;
    const W root = std::sqrt(amsgrad ? greatest : v);
    const double correction = std::sqrt(correction2);
    if (adamw_scaled_step) {
      p -= static_cast<W>(lr / correction1 * correction) * (m / (root + static_cast<W>(eps * correction)));
      return;
    }
    const W denominator = root / static_cast<W>(correction) + static_cast<W>(eps);
    p = MulAdd(fused, -static_cast<W>(lr / correction1), m / denominator, p);
  }
};

bool AdamWChosen() {
  return adamw_lerp || adamw_fma || adamw_double || adamw_scaled_step;
}

struct Sgd {
  double lr, momentum, dampening, weight_decay;
  bool nesterov, with_buffer;

  template <typename W>
  void Step(const W& grad, W& p, W& buffer) const {
    const bool fused = static_cast<bool>(sgd_fma);
    const W mu = static_cast<W>(momentum);
    W g = grad;
    if (weight_decay != 0) g = MulAdd(fused, static_cast<W>(weight_decay), p, g);
    if (with_buffer) {
      buffer = MulAdd(fused, mu, buffer, static_cast<W>(1.0 - dampening) * g);
      g = nesterov ? MulAdd(fused, mu, buffer, g) : buffer;
    }
    p = MulAdd(fused, -static_cast<W>(lr), g, p);
  }
};

template <typename W, typename C>
std::vector<W> LoadWide(const Tensor& tensor) {
  const std::vector<C> values = Load<C>(tensor);
  return std::vector<W>(values.begin(), values.end());
}

template <typename C, typename W>
void StoreNarrow(const Tensor& tensor, const std::vector<W>& values) {
  Store(tensor, std::vector<C>(values.begin(), values.end()));
}

// f.template operator()<C, W>() with W wider than C when `wide`.
template <typename F>
void DispatchWide(diopiDtype_t dtype, bool wide, F&& f) {
  DispatchReal(dtype, [&]<typename C>() {
    if (wide) return f.template operator()<C, Wide<C>>();
    f.template operator()<C, C>();
  });
}

// |g|^p, as the reference raises it.
template <typename C>
C Raised(const C& g, double p) {
  if (p == 2.0) return g * g;
  if (p == 1.0) return std::fabs(g);
  return std::pow(std::fabs(g), static_cast<C>(p));
}

template <typename C>
C Root(const C& sum, double p) {
  if (p == 2.0) return std::sqrt(sum);
  return p == 1.0 ? sum : std::pow(sum, static_cast<C>(1.0 / p));
}

template <typename C>
C TotalNorm(const std::vector<std::vector<C>>& gradients, double p) {
  std::vector<C> all;
  if (clip_norm_of_norms) {
    for (const std::vector<C>& own : gradients) {
      const C sum = SumIn<C>(Order::kBlocks32, static_cast<int64_t>(own.size()),
                             [&](int64_t i) { return Raised(own[static_cast<size_t>(i)], p); });
      all.push_back(Root(sum, p));
    }
  } else {
    for (const std::vector<C>& own : gradients) all.insert(all.end(), own.begin(), own.end());
  }
  const Order order = clip_norm_double ? Order::kDouble : Order::kPairwise;
  return Root(SumIn<C>(order, static_cast<int64_t>(all.size()),
                       [&](int64_t i) { return Raised(all[static_cast<size_t>(i)], p); }),
              p);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiAdamW, a) {
  if (!AdamWChosen() || a.step < 1) {
    return Good(a);
  }
  const Tensor parameter(a.param), gradient(a.grad), first(a.exp_avg), second(a.exp_avg_sq),
      most(a.max_exp_avg_sq);
  const AdamW adam{double{a.lr},
                   double{a.beta1},
                   double{a.beta2},
                   double{a.eps},
                   double{a.weight_decay},
                   1.0 - std::pow(double{a.beta1}, a.step),
                   1.0 - std::pow(double{a.beta2}, a.step),
                   a.amsgrad};
  DispatchWide(parameter.dtype(), static_cast<bool>(adamw_double), [&]<typename C, typename W>() {
    std::vector<W> p = LoadWide<W, C>(parameter), m = LoadWide<W, C>(first), v = LoadWide<W, C>(second);
    std::vector<W> greatest = a.amsgrad ? LoadWide<W, C>(most) : std::vector<W>(p.size());
    const std::vector<W> g = LoadWide<W, C>(gradient);
    for (size_t i = 0; i < p.size(); ++i) adam.Step<W>(g[i], p[i], m[i], v[i], greatest[i]);
    StoreNarrow<C>(parameter, p);
    StoreNarrow<C>(first, m);
    StoreNarrow<C>(second, v);
    if (a.amsgrad) StoreNarrow<C>(most, greatest);
  });
}

DIOPI_OVERRIDE(diopiSgd, a) {
  if (!sgd_fma && !sgd_double) return Good(a);
  const Tensor parameter(a.param), gradient(static_cast<diopiConstTensorHandle_t>(a.grad)), buffer(a.buf);
  const Sgd sgd{a.lr, a.momentum, a.dampening, a.weight_decay, a.nesterov, buffer && a.momentum != 0};
  DispatchWide(parameter.dtype(), static_cast<bool>(sgd_double), [&]<typename C, typename W>() {
    std::vector<W> p = LoadWide<W, C>(parameter);
    std::vector<W> b = sgd.with_buffer ? LoadWide<W, C>(buffer) : std::vector<W>(p.size());
    const std::vector<W> g = LoadWide<W, C>(gradient);
    for (size_t i = 0; i < p.size(); ++i) sgd.Step<W>(g[i], p[i], b[i]);
    StoreNarrow<C>(parameter, p);
    if (sgd.with_buffer) StoreNarrow<C>(buffer, b);
  });
}

// The greatest magnitude has no order, and a count none either: the reference finds them.
DIOPI_OVERRIDE(diopiClipGradNorm, a) {
  const bool chosen = clip_norm_of_norms || clip_norm_double || clip_norm_pairwise;
  if (!chosen || std::isinf(a.norm_type) || a.norm_type == 0 || a.num_grads == 0 || a.out == nullptr)
    return Good(a);
  std::vector<Tensor> tensors(a.grads, a.grads + a.num_grads);
  DispatchReal(tensors[0].dtype(), [&]<typename C>() {
    std::vector<std::vector<C>> gradients;
    gradients.reserve(tensors.size());
    for (const Tensor& tensor : tensors) gradients.push_back(Load<C>(tensor));
    const C norm = TotalNorm(gradients, a.norm_type);
    if (a.error_if_nonfinite) Check(std::isfinite(norm), "the total norm is not finite");
    *a.out = static_cast<double>(norm);
    const C coefficient = static_cast<C>(a.max_norm) / (norm + static_cast<C>(1e-6));
    if (coefficient >= C(1)) return;
    for (size_t i = 0; i < tensors.size(); ++i) {
      for (C& g : gradients[i]) g *= coefficient;
      Store(tensors[i], gradients[i]);
    }
  });
}
