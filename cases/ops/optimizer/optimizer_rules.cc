// Shapes of the states of optimizers over lists of parameters, `params`.
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The greatest second moments, which only amsgrad has: null without it.
DIOPI_SHAPE_RULE(amsgrad_states, args) {
  const absl::StatusOr<bool> amsgrad = args.Bool("amsgrad");
  if (!amsgrad.ok()) return amsgrad.status();
  if (!*amsgrad) return Shapes{};
  return args.Shapes("params");
}

// A tensor of one element for each parameter.
DIOPI_SHAPE_RULE(step_each, args) {
  const absl::StatusOr<Shapes> params = args.Shapes("params");
  if (!params.ok()) return params.status();
  return Shapes(params->size(), {1});
}

}  // namespace diopi::cases
