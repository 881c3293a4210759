// The shape of a padded tensor.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// Two numbers per dimension, from the last dimension on; a negative one cuts off.
DIOPI_SHAPE_RULE(pad, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> pad, args.Sizes("pad"));
  if (pad.size() % 2 != 0 || pad.size() > 2 * shape.size()) {
    return absl::InvalidArgumentError("pad must hold two numbers for each of the last dimensions");
  }
  for (size_t i = 0; i < pad.size(); i += 2) {
    int64_t& length = shape[shape.size() - 1 - i / 2];
    length += pad[i] + pad[i + 1];
    if (length < 0) return absl::InvalidArgumentError("a negative pad cuts off more than there is");
  }
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
