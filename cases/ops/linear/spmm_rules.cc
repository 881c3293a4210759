// The shape of the product of a sparse matrix and a dense one.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A row for each row start of the sparse matrix but the last one, the columns of the dense one.
DIOPI_SHAPE_RULE(spmm, args) {
  ASSIGN_OR_RETURN(const std::vector<std::vector<int64_t>> parts, args.Shapes("input"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> dense, args.Shape("mat2"));
  if (parts.empty() || parts.front().size() != 1 || parts.front()[0] < 1 || dense.size() != 2) {
    return absl::InvalidArgumentError("`input` needs row starts, `mat2` two dimensions");
  }
  return Shapes{{parts.front()[0] - 1, dense[1]}};
}

}  // namespace diopi::cases
