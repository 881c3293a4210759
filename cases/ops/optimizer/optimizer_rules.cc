// Shapes of what optimizers over lists of parameters, `params`, keep beside them.
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The greatest second moments, which only amsgrad has: null without it.
DIOPI_SHAPE_RULE(amsgrad_states, args) {
  const absl::StatusOr<bool> amsgrad = args.Bool("amsgrad");
  if (!amsgrad.ok()) return amsgrad.status();
  if (!*amsgrad) return Shapes{};
  return args.Shapes("params");
}

// For each parameter a tensor of one element.
DIOPI_SHAPE_RULE(step_each, args) {
  const absl::StatusOr<Shapes> params = args.Shapes("params");
  if (!params.ok()) return params.status();
  return Shapes(params->size(), {1});
}

}  // namespace diopi::cases
