#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// The dimensions of `input` before begin_norm_axis, or those from it on.
absl::StatusOr<Shapes> SplitAtAxis(const RuleArgs& args, bool before) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const int64_t first, args.Int("begin_norm_axis"));
  ASSIGN_OR_RETURN(const int64_t axis, NormalizeDim(first, static_cast<int64_t>(shape.size())));
  return before ? Shapes{{shape.begin(), shape.begin() + axis}} : Shapes{{shape.begin() + axis, shape.end()}};
}

}  // namespace

// One for each row.
DIOPI_SHAPE_RULE(rows_before_axis, args) {
  return SplitAtAxis(args, true);
}

// The weight and the bias have the shape of a row.
DIOPI_SHAPE_RULE(dims_from_axis, args) {
  return SplitAtAxis(args, false);
}

}  // namespace diopi::cases
