// Shapes of unique's inverse indices.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The input's shape; with a `dim`, one index for each slice along it.
DIOPI_SHAPE_RULE(unique_indices, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  if (!args.Has("dim")) return Shapes{shape};
  ASSIGN_OR_RETURN(int64_t given, args.Int("dim"));
  ASSIGN_OR_RETURN(int64_t dim, NormalizeDim(given, static_cast<int64_t>(shape.size())));
  return Shapes{{shape[static_cast<size_t>(dim)]}};
}

}  // namespace diopi::cases
