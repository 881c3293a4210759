#include "cases/core/shape_rules.h"

namespace diopi::cases {

// An area for each pair of boxes.
DIOPI_SHAPE_RULE(overlap_bev, args) {
  const absl::StatusOr<std::vector<int64_t>> a = args.Shape("boxes_a"), b = args.Shape("boxes_b");
  for (const absl::Status& status : {a.status(), b.status()}) {
    if (!status.ok()) return status;
  }
  if (a->size() != 2 || b->size() != 2) {
    return absl::InvalidArgumentError("`boxes_a` and `boxes_b` need 2 dimensions");
  }
  return Shapes{{(*a)[0], (*b)[0]}};
}

}  // namespace diopi::cases
