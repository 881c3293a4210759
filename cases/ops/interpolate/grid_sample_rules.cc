#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A batch of channels from `input`, at as many places as `grid` names.
DIOPI_SHAPE_RULE(grid_sample, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> input, args.Shape("input"));
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("grid"));
  if (shape.size() != input.size() || input.size() < 4) {
    return absl::InvalidArgumentError("`grid` needs as many dimensions as `input`, 4 or 5");
  }
  shape.pop_back();
  shape.insert(shape.begin() + 1, input[1]);
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
