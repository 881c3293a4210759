#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A flag for each point and polygon.
DIOPI_SHAPE_RULE(points_in_polygons, args) {
  const absl::StatusOr<std::vector<int64_t>> points = args.Shape("points"), polygons = args.Shape("polygons");
  for (const absl::Status& status : {points.status(), polygons.status()}) {
    if (!status.ok()) return status;
  }
  if (points->size() != 2 || polygons->size() != 2) {
    return absl::InvalidArgumentError("`points` and `polygons` need 2 dimensions");
  }
  return Shapes{{(*points)[0], (*polygons)[0]}};
}

// Room for the index of every box.
DIOPI_SHAPE_RULE(iou3d_keep, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> boxes, args.Shape("boxes"));
  if (boxes.size() != 2) return absl::InvalidArgumentError("`boxes` needs 2 dimensions");
  return Shapes{{boxes[0]}};
}

}  // namespace diopi::cases
