// Shapes of unique's inverse indices.
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The input's shape; with a `dim`, one index for each slice along it.
DIOPI_SHAPE_RULE(unique_indices, args) {
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (!shape.ok()) return shape.status();
  if (!args.Has("dim")) return Shapes{*shape};
  absl::StatusOr<int64_t> given = args.Int("dim");
  if (!given.ok()) return given.status();
  absl::StatusOr<int64_t> dim = NormalizeDim(*given, static_cast<int64_t>(shape->size()));
  if (!dim.ok()) return dim.status();
  return Shapes{{(*shape)[static_cast<size_t>(*dim)]}};
}

}  // namespace diopi::cases
