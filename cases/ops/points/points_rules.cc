#include <initializer_list>

#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// A tensor whose sizes are attributes, and then numbers.
absl::StatusOr<Shapes> PointSizes(const RuleArgs& args, std::initializer_list<const char*> names,
                                  std::initializer_list<int64_t> last = {}) {
  std::vector<int64_t> shape;
  for (const char* name : names) {
    ASSIGN_OR_RETURN(const int64_t size, args.Int(name));
    shape.push_back(size);
  }
  shape.insert(shape.end(), last);
  return Shapes{std::move(shape)};
}

// The batch and the number of points of a tensor of them.
absl::StatusOr<Shapes> WithoutCoordinates(const RuleArgs& args, const char* name) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape(name));
  if (shape.empty()) return absl::InvalidArgumentError("points need coordinates");
  shape.pop_back();
  return Shapes{std::move(shape)};
}

}  // namespace

DIOPI_SHAPE_RULE(point_features, args) {
  return PointSizes(args, {"b", "c", "n"});
}
DIOPI_SHAPE_RULE(gathered_points, args) {
  return PointSizes(args, {"b", "c", "npoints"});
}
DIOPI_SHAPE_RULE(grouped_points, args) {
  return PointSizes(args, {"b", "c", "npoints", "nsample"});
}
DIOPI_SHAPE_RULE(three_interpolated, args) {
  return PointSizes(args, {"b", "c", "n"});
}
DIOPI_SHAPE_RULE(three_interpolate_features, args) {
  return PointSizes(args, {"b", "c", "m"});
}
DIOPI_SHAPE_RULE(three_nn, args) {
  return PointSizes(args, {"b", "n"}, {3});
}
DIOPI_SHAPE_RULE(knn_of_points, args) {
  return PointSizes(args, {"b", "m", "nsample"});
}
DIOPI_SHAPE_RULE(points_of_xyz1, args) {
  return WithoutCoordinates(args, "xyz1");
}
DIOPI_SHAPE_RULE(points_of_xyz2, args) {
  return WithoutCoordinates(args, "xyz2");
}
DIOPI_SHAPE_RULE(ball_query, args) {
  return PointSizes(args, {"B", "npoint", "sample_num"});
}
DIOPI_SHAPE_RULE(furthest_points, args) {
  return PointSizes(args, {"B", "num_points"});
}
DIOPI_SHAPE_RULE(furthest_points_distances, args) {
  return PointSizes(args, {"B", "N"});
}
DIOPI_SHAPE_RULE(stack_ball_query, args) {
  absl::StatusOr<Shapes> shape = WithoutCoordinates(args, "center_xyz");
  ASSIGN_OR_RETURN(const int64_t samples, args.Int("sample_num"));
  if (shape.ok()) shape->front().push_back(samples);
  return shape;
}
DIOPI_SHAPE_RULE(stack_grouped_points, args) {
  return PointSizes(args, {"m", "c", "nsample"});
}
DIOPI_SHAPE_RULE(stack_point_features, args) {
  return PointSizes(args, {"n", "c"});
}
DIOPI_SHAPE_RULE(assign_score_output, args) {
  return PointSizes(args, {"B", "out_dim", "npoint", "K"});
}

}  // namespace diopi::cases
