#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// Three numbers for each point.
DIOPI_SHAPE_RULE(voxels_of_points, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> points, args.Shape("points"));
  if (points.size() != 2) return absl::InvalidArgumentError("`points` needs 2 dimensions");
  return Shapes{{points[0], 3}};
}

}  // namespace diopi::cases
