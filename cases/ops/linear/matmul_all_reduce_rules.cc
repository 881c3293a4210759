// Shapes of matmul_all_reduce.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The rows of x1, the columns of x2.
DIOPI_SHAPE_RULE(matmul_all_reduce, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> rows, args.Shape("x1"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> columns, args.Shape("x2"));
  if (rows.empty() || columns.size() != 2)
    return absl::InvalidArgumentError("x1 @ x2 has no rows or columns");
  rows.back() = columns.back();
  return Shapes{rows};
}

DIOPI_SHAPE_RULE(columns_of_x2, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> columns, args.Shape("x2"));
  if (columns.empty()) return absl::InvalidArgumentError("x2 has no columns");
  return Shapes{{columns.back()}};
}

}  // namespace diopi::cases
