#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The shape of `inputs` when unreduced, a single number otherwise.
DIOPI_SHAPE_RULE(sigmoid_focal_loss, args) {
  const absl::StatusOr<int64_t> reduction = args.Int("reduction");
  if (!reduction.ok()) return reduction.status();
  if (*reduction != 0) return Shapes{{}};
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("inputs");
  if (!shape.ok()) return shape.status();
  return Shapes{*std::move(shape)};
}

}  // namespace diopi::cases
