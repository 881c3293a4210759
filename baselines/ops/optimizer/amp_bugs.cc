// Bugs injected in mixed precision training's scale and in AdamW over lists.
#include <cmath>

#include "baselines/bugs/support.h"

namespace {

using diopi::bugs::Change;
using diopi::bugs::Load;
using diopi::bugs::Replaced;
using diopi::bugs::Store;
using diopi::bugs::Tensor;

BUG(amp_first_tensor_checked, 0, "diopiAmpForeachNonFiniteCheckAndUnscaleInp", "",
    "only the first tensor of the list is searched for infinities");
BUG(amp_found_set_to_zero, 0, "diopiAmpForeachNonFiniteCheckAndUnscaleInp", "",
    "found_inf is set to 0 where this list holds no infinity");
BUG(amp_nan_not_found, 0, "diopiAmpForeachNonFiniteCheckAndUnscaleInp", "", "NaN does not count as infinite");
BUG(amp_scale_one_step_late, 0, "diopiAmpUpdateScaleInp", "", "the scale grows one step after it is due");
BUG(amp_tracker_kept, 0, "diopiAmpUpdateScaleInp", "", "an infinity does not set the count of steps back");
BUG(amp_found_equals_one, 0, "diopiAmpUpdateScaleInp", "", "found_inf is compared with 1");
BUG(fused_adamw_first_step_count, 0, "diopiFusedAdamW", "", "the first tensor's step count is used for all");
BUG(fused_adamw_maximize_ignored, 0, "diopiFusedAdamW", "", "maximize is taken as false");
BUG(fused_adamw_step_raised, 0, "diopiFusedAdamW", "", "the step count is raised once more");

}  // namespace

DIOPI_OVERRIDE(diopiAmpForeachNonFiniteCheckAndUnscaleInp, a) {
  const double before = Load<double>(Tensor(a.found_inf))[0];
  bool first = false, any = false, any_infinite = false;
  for (int64_t i = 0; i < a.num_scaled_grads; ++i) {
    for (const double x : Load<double>(Tensor(a.scaled_grads[i]))) {
      any = any || !std::isfinite(x);
      any_infinite = any_infinite || std::isinf(x);
    }
    if (i == 0) first = any;
  }
  Good(a);
  const auto report = [&](bool found) {
    Change(a.found_inf, [&](double, int64_t) { return found ? 1 : before; });
  };
  if (amp_first_tensor_checked) report(first);
  if (amp_nan_not_found) report(any_infinite);
  if (amp_found_set_to_zero && !any) Change(a.found_inf, [](double, int64_t) { return 0; });
}

DIOPI_OVERRIDE(diopiAmpUpdateScaleInp, a) {
  const double found = Load<double>(Tensor(a.found_inf))[0];
  const std::vector<int64_t> steps = Load<int64_t>(Tensor(a.growth_tracker));
  if (amp_scale_one_step_late) ++a.growth_interval;
  if (amp_found_equals_one) {
    a.found_inf = Replaced(a.ctx, a.found_inf, [](double x, int64_t) { return x == 1 ? 1 : 0; });
  }
  Good(a);
  if (amp_tracker_kept && found > 0) Store(Tensor(a.growth_tracker), steps);
}

DIOPI_OVERRIDE(diopiFusedAdamW, a) {
  std::vector<diopiConstTensorHandle_t> steps(a.state_steps, a.state_steps + a.nums);
  if (fused_adamw_maximize_ignored) a.maximize = false;
  for (diopiConstTensorHandle_t& step : steps) {
    if (fused_adamw_first_step_count) step = a.state_steps[0];
    if (fused_adamw_step_raised) step = Replaced(a.ctx, step, [](double x, int64_t) { return x + 1; });
  }
  a.state_steps = steps.data();
  Good(a);
}
