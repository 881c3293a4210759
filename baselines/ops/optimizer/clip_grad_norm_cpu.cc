// clip_grad_norm_: the norm over all gradients together, written to host memory, and the gradients scaled in
// place by min(1, max_norm / (norm + 1e-6)).
#include <algorithm>
#include <cstring>

#include "baselines/ops/support/sum.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {
namespace {

// The norm of the gradients' norms: for p 0 the number of gradients that are not all zero.
template <typename C>
C TotalNorm(const std::vector<std::vector<C>>& gradients, double p) {
  using std::abs;
  using std::pow;
  using std::sqrt;
  C extreme = Exact<C>(0);
  bool is_first = true;
  Sum<C> total;
  const bool infinite = std::isinf(p);
  for (const std::vector<C>& gradient : gradients) {
    if (p == 0.0) {
      const auto not_zero = [](const C& g) { return ToDouble(g) != 0.0; };
      total += Exact<C>(std::any_of(gradient.begin(), gradient.end(), not_zero) ? 1 : 0);
      continue;
    }
    for (const C& g : gradient) {
      const C magnitude = abs(g);
      if (infinite) {
        const bool further = p > 0 ? magnitude > extreme : magnitude < extreme;
        if (is_first || further || magnitude != magnitude) extreme = magnitude;
        is_first = false;
      } else if (p == 2.0) {
        total += g * g;
      } else if (p == 1.0) {
        total += magnitude;
      } else {
        total += pow(magnitude, Rounded<C>(p));
      }
    }
  }
  if (infinite) return extreme;
  if (p == 0.0 || p == 1.0) return total.total();
  return p == 2.0 ? sqrt(total.total()) : pow(total.total(), Rounded<C>(1.0 / p));
}

// The oracle's call has room for a whole noise number behind the pointer (see InProcessLibrary::Call).
template <typename C>
void StoreHost(double* out, const C& value) {
  if constexpr (kIsNoise<C>) {
    std::memcpy(out, &value, sizeof(C));
  } else {
    *out = ToDouble(value);
  }
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiClipGradNorm, a) {
  using namespace diopi::ops;
  Check(a.out != nullptr, "out is null");
  const std::vector<Tensor> tensors(a.grads, a.grads + a.num_grads);
  if (tensors.empty()) {
    *a.out = 0.0;
    return;
  }
  DispatchFloating(tensors[0].dtype(), [&]<typename C>() {
    std::vector<std::vector<C>> gradients;
    gradients.reserve(tensors.size());
    for (const Tensor& tensor : tensors) gradients.push_back(Load<C>(tensor));
    const C norm = TotalNorm(gradients, a.norm_type);
    if (a.error_if_nonfinite) Check(std::isfinite(ToDouble(norm)), "the total norm is not finite");
    StoreHost(a.out, norm);
    const C coefficient = Rounded<C>(a.max_norm) / (norm + Rounded<C>(1e-6));
    if (ToDouble(coefficient) >= 1.0) return;
    for (size_t i = 0; i < tensors.size(); ++i) {
      for (C& g : gradients[i]) g = g * coefficient;
      Store(tensors[i], gradients[i]);
    }
  });
}
