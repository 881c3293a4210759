// Shapes of reductions whose dimension is a plain integer.
#include "absl/status/status.h"
#include "cases/core/shape_rules.h"
#include "cases/core/tensor.h"

namespace diopi::cases {

// The input without dimension `dim`.
DIOPI_SHAPE_RULE(along_dim, args) {
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (!shape.ok()) return shape.status();
  const absl::StatusOr<int64_t> dim = args.Int("dim");
  if (!dim.ok()) return dim.status();
  const absl::StatusOr<int64_t> at = NormalizeDim(*dim, static_cast<int64_t>(shape->size()));
  if (!at.ok()) return at.status();
  if (!shape->empty()) shape->erase(shape->begin() + *at);
  return Shapes{*std::move(shape)};
}

// A 0-d result. Nothing reduced has no identity for max, so an empty input keeps its (empty) shape: such
// points are for the functions with a dimension.
DIOPI_SHAPE_RULE(scalar_of_nonempty, args) {
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (!shape.ok()) return shape.status();
  return Shapes{{}};
}

}  // namespace diopi::cases
