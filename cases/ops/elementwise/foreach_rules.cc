// Shapes of the results of functions over a list of tensors, `inputs`.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A tensor of its shape for each of them.
DIOPI_SHAPE_RULE(each_input, args) {
  return args.Shapes("inputs");
}

// A number for each of them.
DIOPI_SHAPE_RULE(number_each, args) {
  ASSIGN_OR_RETURN(const Shapes inputs, args.Shapes("inputs"));
  return Shapes(inputs.size());
}

}  // namespace diopi::cases
