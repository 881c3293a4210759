#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// One scale and bias for each instance of a sample: the dimensions from the second one up to `axis`.
DIOPI_SHAPE_RULE(instances_of_sample, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const int64_t axis, args.Int("axis"));
  if (axis < 1 || axis > static_cast<int64_t>(shape.size())) {
    return absl::InvalidArgumentError("`axis` must be a dimension after the first");
  }
  int64_t count = 1;
  for (size_t i = 1; i < static_cast<size_t>(axis); ++i) count *= shape[i];
  return Shapes{{count}};
}

}  // namespace diopi::cases
