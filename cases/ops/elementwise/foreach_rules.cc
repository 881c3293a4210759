// Shapes of the results of functions over a list of tensors, `inputs`.
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A tensor of its shape for each of them.
DIOPI_SHAPE_RULE(each_input, args) {
  return args.Shapes("inputs");
}

// A number for each of them.
DIOPI_SHAPE_RULE(number_each, args) {
  const absl::StatusOr<Shapes> inputs = args.Shapes("inputs");
  if (!inputs.ok()) return inputs.status();
  return Shapes(inputs->size());
}

}  // namespace diopi::cases
