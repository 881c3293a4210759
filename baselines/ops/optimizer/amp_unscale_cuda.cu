// Gradients times 1 / scale in place, and whether one of them was not finite.
#include <cmath>

#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/row_sums.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct NotFinite {
  Out<C> gradient;
  DIOPI_HD int64_t operator()(int64_t, int64_t i) const {
    using std::isfinite;
    return isfinite(gradient[i]) ? 0 : 1;
  }
};
template <typename C>
struct Unscale {
  Out<C> gradient;
  In<C> inverse;
  DIOPI_HD void operator()(int64_t i) const { gradient.Set(i, gradient[i] * inverse[0]); }
};
struct Found {
  Out<float> found;
  const int64_t* count;
  DIOPI_HD void operator()(int64_t) const {
    if (*count > 0) found.Set(0, 1.0F);
  }
};

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiAmpForeachNonFiniteCheckAndUnscaleInp, a) {
  using namespace diopi::ops;
  using namespace diopi::ops::cuda;
  const Tensor found(a.found_inf), inverse(a.inv_scale);
  Check(found.numel() == 1 && inverse.numel() == 1, "found_inf and inv_scale must have one element");
  const Queue queue(a.ctx);
  for (int64_t i = 0; i < a.num_scaled_grads; ++i) {
    const Tensor gradient(a.scaled_grads[i]);
    if (gradient.numel() == 0) continue;
    cuda::DispatchFloating(gradient.dtype(), [&]<typename C>() {
      const Out<C> values(gradient);
      ForEach(queue, 1, Found{Out<float>(found), RowSums(queue, 1, gradient.numel(), NotFinite<C>{values})});
      ForEach(queue, gradient.numel(), Unscale<C>{values, In<C>(inverse)});
    });
  }
}
