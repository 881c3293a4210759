// Shapes of losses.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A loss over classes: the input without its class dimension when unreduced, a single number otherwise.
DIOPI_SHAPE_RULE(class_loss, args) {
  ASSIGN_OR_RETURN(const int64_t reduction, args.Int("reduction"));
  if (reduction != 0) return Shapes{{}};
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  if (!shape.empty()) shape.erase(shape.begin() + (shape.size() > 1 ? 1 : 0));
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
