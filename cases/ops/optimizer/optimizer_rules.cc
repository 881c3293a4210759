// Shapes of the states of optimizers over lists of parameters, `params`.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The greatest second moments, which only amsgrad has: null without it.
DIOPI_SHAPE_RULE(amsgrad_states, args) {
  ASSIGN_OR_RETURN(const bool amsgrad, args.Bool("amsgrad"));
  if (!amsgrad) return Shapes{};
  return args.Shapes("params");
}

// A tensor of one element for each parameter.
DIOPI_SHAPE_RULE(step_each, args) {
  ASSIGN_OR_RETURN(const Shapes params, args.Shapes("params"));
  return Shapes(params.size(), {1});
}

}  // namespace diopi::cases
