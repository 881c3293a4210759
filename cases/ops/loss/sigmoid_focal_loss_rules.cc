#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The shape of `inputs` when unreduced, a single number otherwise.
DIOPI_SHAPE_RULE(sigmoid_focal_loss, args) {
  ASSIGN_OR_RETURN(const int64_t reduction, args.Int("reduction"));
  if (reduction != 0) return Shapes{{}};
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("inputs"));
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
