// Gradients times 1 / scale in place, and whether one of them was not finite.
#include <cmath>
#include <vector>

#include "baselines/ops/support/tensor.h"

DIOPI_KERNEL(diopiAmpForeachNonFiniteCheckAndUnscaleInp, a) {
  using namespace diopi::ops;
  const Tensor found(a.found_inf), inverse(a.inv_scale);
  Check(found.numel() == 1 && inverse.numel() == 1, "found_inf and inv_scale must have one element");
  bool any = false;
  for (int64_t i = 0; i < a.num_scaled_grads; ++i) {
    const Tensor gradient(a.scaled_grads[i]);
    DispatchFloating(ResultType(gradient, {gradient}), [&]<typename C>() {
      using std::isfinite;
      const C factor = LoadItem<C>(inverse);
      std::vector<C> values = Load<C>(gradient);
      for (C& value : values) {
        any = any || !isfinite(value);
        value = value * factor;
      }
      Store(gradient, values);
    });
  }
  if (any) DispatchFloating(found.dtype(), [&]<typename C>() { Store(found, std::vector<C>{C(1)}); });
}
