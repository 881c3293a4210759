#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// One overlap for each pair of boxes, or, aligned, for each box and the one of the same number.
DIOPI_SHAPE_RULE(bbox_overlaps, args) {
  const absl::StatusOr<std::vector<int64_t>> first = args.Shape("bboxes1"), second = args.Shape("bboxes2");
  for (const absl::Status& status : {first.status(), second.status()}) {
    if (!status.ok()) return status;
  }
  ASSIGN_OR_RETURN(const bool aligned, args.Bool("aligned"));
  if (first->size() != 2 || second->size() != 2) {
    return absl::InvalidArgumentError("`bboxes1` and `bboxes2` need 2 dimensions");
  }
  if (aligned) return Shapes{{(*first)[0]}};
  return Shapes{{(*first)[0], (*second)[0]}};
}

// The number of the box of each point, or, where all boxes count, a flag for each point and box.
DIOPI_SHAPE_RULE(points_in_boxes, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> points, args.Shape("pts"));
  if (points.size() != 3) return absl::InvalidArgumentError("`pts` needs 3 dimensions");
  return Shapes{{points[0], points[1]}};
}
DIOPI_SHAPE_RULE(points_in_all_boxes, args) {
  const absl::StatusOr<std::vector<int64_t>> points = args.Shape("pts"), boxes = args.Shape("boxes");
  for (const absl::Status& status : {points.status(), boxes.status()}) {
    if (!status.ok()) return status;
  }
  if (points->size() != 3 || boxes->size() != 3) {
    return absl::InvalidArgumentError("`pts` and `boxes` need 3 dimensions");
  }
  return Shapes{{(*points)[0], (*points)[1], (*boxes)[1]}};
}

}  // namespace diopi::cases
