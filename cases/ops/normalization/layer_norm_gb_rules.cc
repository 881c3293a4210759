#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// The dimensions of `input` before begin_norm_axis, or those from it on.
absl::StatusOr<Shapes> SplitAtAxis(const RuleArgs& args, bool before) {
  const absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (!shape.ok()) return shape.status();
  const absl::StatusOr<int64_t> first = args.Int("begin_norm_axis");
  if (!first.ok()) return first.status();
  const absl::StatusOr<int64_t> axis = NormalizeDim(*first, static_cast<int64_t>(shape->size()));
  if (!axis.ok()) return axis.status();
  return before ? Shapes{{shape->begin(), shape->begin() + *axis}}
                : Shapes{{shape->begin() + *axis, shape->end()}};
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
