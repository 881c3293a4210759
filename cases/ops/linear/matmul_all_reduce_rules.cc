// Shapes of matmul_all_reduce.
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The rows of x1, the columns of x2.
DIOPI_SHAPE_RULE(matmul_all_reduce, args) {
  absl::StatusOr<std::vector<int64_t>> rows = args.Shape("x1"), columns = args.Shape("x2");
  if (!rows.ok()) return rows.status();
  if (!columns.ok()) return columns.status();
  if (rows->empty() || columns->size() != 2)
    return absl::InvalidArgumentError("x1 @ x2 has no rows or columns");
  rows->back() = columns->back();
  return Shapes{*rows};
}

DIOPI_SHAPE_RULE(columns_of_x2, args) {
  absl::StatusOr<std::vector<int64_t>> columns = args.Shape("x2");
  if (!columns.ok()) return columns.status();
  if (columns->empty()) return absl::InvalidArgumentError("x2 has no columns");
  return Shapes{{columns->back()}};
}

}  // namespace diopi::cases
