// Shapes of functions of sets of points [x1, y1, ..., x9, y9] and of polygons [x1, y1, ..., x4, y4].
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

absl::StatusOr<int64_t> RowsOf(const RuleArgs& args, const char* name) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, args.Shape(name));
  if (shape.size() != 2) return absl::InvalidArgumentError("sets of points and polygons need 2 dimensions");
  return shape[0];
}

}  // namespace

// Four corners for each set.
DIOPI_SHAPE_RULE(corners_of_sets, args) {
  ASSIGN_OR_RETURN(const int64_t sets, RowsOf(args, "pointsets"));
  return Shapes{{sets, 8}};
}

// A number for each set and polygon.
DIOPI_SHAPE_RULE(sets_and_polygons, args) {
  const absl::StatusOr<int64_t> sets = RowsOf(args, "pointsets"), polygons = RowsOf(args, "polygons");
  for (const absl::Status& status : {sets.status(), polygons.status()}) {
    if (!status.ok()) return status;
  }
  return Shapes{{*sets, *polygons}};
}

// The derivatives by the coordinates of each set, and a number.
DIOPI_SHAPE_RULE(set_gradients, args) {
  ASSIGN_OR_RETURN(const int64_t sets, RowsOf(args, "pointsets"));
  return Shapes{{sets, 19}};
}

}  // namespace diopi::cases
