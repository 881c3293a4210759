#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A loss of two tensors of one shape: that shape when unreduced, a single number otherwise.
DIOPI_SHAPE_RULE(pair_loss, args) {
  const absl::StatusOr<int64_t> reduction = args.Int("reduction");
  if (!reduction.ok()) return reduction.status();
  if (*reduction != 0) return Shapes{{}};
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (!shape.ok()) return shape.status();
  return Shapes{*std::move(shape)};
}

}  // namespace diopi::cases
