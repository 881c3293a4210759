// The shape of the product of a sparse matrix and a dense one.
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A row for each row start of the sparse matrix but the last one, the columns of the dense one.
DIOPI_SHAPE_RULE(spmm, args) {
  const absl::StatusOr<std::vector<std::vector<int64_t>>> parts = args.Shapes("input");
  if (!parts.ok()) return parts.status();
  const absl::StatusOr<std::vector<int64_t>> dense = args.Shape("mat2");
  if (!dense.ok()) return dense.status();
  if (parts->empty() || parts->front().size() != 1 || parts->front()[0] < 1 || dense->size() != 2) {
    return absl::InvalidArgumentError("`input` needs row starts, `mat2` two dimensions");
  }
  return Shapes{{parts->front()[0] - 1, (*dense)[1]}};
}

}  // namespace diopi::cases
