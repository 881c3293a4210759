// Shapes of topk.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The input with size k along dimension `dim`.
DIOPI_SHAPE_RULE(topk, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  const absl::StatusOr<int64_t> dim = args.Int("dim");
  const absl::StatusOr<int64_t> k = args.Int("k");
  if (!dim.ok()) return dim.status();
  if (!k.ok()) return k.status();
  if (shape.empty() && *k != 1) return absl::InvalidArgumentError("a 0-d tensor has one element");
  if (shape.empty()) return Shapes{std::move(shape)};
  ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(*dim, static_cast<int64_t>(shape.size())));
  int64_t& size = shape[static_cast<size_t>(at)];
  if (*k > size) return absl::InvalidArgumentError("`k` is larger than the dimension");
  size = *k;
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
