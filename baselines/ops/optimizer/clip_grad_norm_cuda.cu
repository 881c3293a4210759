// clip_grad_norm_: the norm over all gradients together, written to host memory (the call waits for it), and
// the gradients scaled in place by min(1, max_norm / (norm + 1e-6)).
#include <cmath>
#include <vector>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/map.h"
#include "baselines/ops/support/cuda/reduce.h"

namespace diopi::ops::cuda {
namespace {

// How p combines the magnitudes: as a sum of powers, or for p = +-infinity the greatest or least (NaN above
// all). For p = 0 a gradient counts as 1 unless it is all zero, and these are added up.
enum class Fold { kSum, kGreatest, kLeast };

// Over one gradient, or over such results.
template <typename C>
struct NormPowers {
  using State = C;
  In<C> gradient;
  const C* parts;  // instead of the gradient
  C p;
  Fold fold;
  C* out;
  DIOPI_HD State Empty() const { return fold == Fold::kLeast ? static_cast<C>(INFINITY) : C(0); }
  DIOPI_HD State Load(int64_t, int64_t j) const {
    using std::abs;
    using std::pow;
    if (parts != nullptr) return parts[j];
    const C magnitude = abs(gradient[j]);
    if (p == C(0)) return magnitude != C(0) ? C(1) : C(0);
    if (fold != Fold::kSum || p == C(1)) return magnitude;
    return p == C(2) ? magnitude * magnitude : pow(magnitude, p);
  }
  DIOPI_HD State Combine(State a, State b) const {
    if (fold == Fold::kSum) return a + b;
    return (fold == Fold::kGreatest ? b > a : b < a) || b != b ? b : a;
  }
  DIOPI_HD void Finish(int64_t, State total) const { *out = total; }
};

template <typename C>
C TotalNorm(const Queue& queue, const std::vector<Tensor>& gradients, double norm_type) {
  const C p = static_cast<C>(norm_type);
  const bool infinite = std::isinf(norm_type);
  const Fold fold = !infinite ? Fold::kSum : norm_type > 0 ? Fold::kGreatest : Fold::kLeast;
  const Fold within = norm_type == 0.0 ? Fold::kGreatest : fold;
  const auto count = static_cast<int64_t>(gradients.size());
  C* const parts = queue.Buffer<C>(count + 1);
  C* const total = parts + count;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor& gradient = gradients[static_cast<size_t>(i)];
    ReduceRows(queue, 1, gradient.numel(), NormPowers<C>{In<C>(gradient), nullptr, p, within, parts + i});
  }
  ReduceRows(queue, 1, count, NormPowers<C>{In<C>(), parts, p, fold, total});
  C norm = C(0);
  queue.CopyToHost(&norm, total, sizeof(C));
  if (infinite || norm_type == 0.0 || norm_type == 1.0) return norm;
  return norm_type == 2.0 ? std::sqrt(norm) : std::pow(norm, static_cast<C>(1.0 / norm_type));
}

template <typename C>
struct Scaled {
  C factor;
  DIOPI_HD C operator()(C x) const { return x * factor; }
};

void Clip(diopiContextHandle_t ctx, double* out, diopiTensorHandle_t* grads, int64_t count, double max_norm,
          double norm_type, bool error_if_nonfinite) {
  Check(out != nullptr, "out is null");
  if (count <= 0) {
    *out = 0.0;
    return;
  }
  const std::vector<Tensor> gradients(grads, grads + count);
  const Queue queue(ctx);
  DispatchFloating(gradients[0].dtype(), [&]<typename C>() {
    const C norm = TotalNorm<C>(queue, gradients, norm_type);
    if (error_if_nonfinite) Check(std::isfinite(norm), "the total norm is not finite");
    *out = static_cast<double>(norm);
    const C coefficient = static_cast<C>(max_norm) / (norm + static_cast<C>(1e-6));
    if (coefficient >= C(1)) return;
    for (const Tensor& gradient : gradients)
      Map(queue, gradient.numel(), Out<C>(gradient), Scaled<C>{coefficient}, In<C>(gradient));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiClipGradNorm, a) {
  using namespace diopi::ops;
  cuda::Clip(a.ctx, a.out, a.grads, a.num_grads, a.max_norm, a.norm_type, a.error_if_nonfinite);
}
