// The scale of mixed precision training and the count of steps since it last changed, both in place.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct UpdateScale {
  Out<C> scale;
  Out<int64_t> steps;
  In<C> found;
  C growth, backoff;
  int64_t interval;
  DIOPI_HD void operator()(int64_t) const {
    const int64_t now = steps[0] + 1;
    const bool overflowed = found[0] > C(0), due = now == interval;
    if (overflowed) {
      scale.Set(0, scale[0] * backoff);
    } else if (due) {
      scale.Set(0, scale[0] * growth);
    }
    steps.Set(0, overflowed || due ? 0 : now);
  }
};

}  // namespace

DIOPI_KERNEL(diopiAmpUpdateScaleInp, a) {
  const Tensor scale(a.current_scale), steps(a.growth_tracker), found(a.found_inf);
  Check(scale.numel() == 1 && steps.numel() == 1 && found.numel() == 1,
        "current_scale, growth_tracker and found_inf must have one element");
  DispatchFloating(ResultType(scale, {scale, found}), [&]<typename C>() {
    ForEach(
        Queue(a.ctx), 1,
        UpdateScale<C>{Out<C>(scale), Out<int64_t>(steps), In<C>(found), Rounded<C>(a.scale_growth_factor),
                       Rounded<C>(a.scale_backoff_factor), a.growth_interval});
  });
}

}  // namespace diopi::ops::both
