// Shapes of bmm and mm.
#include <string>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {
namespace {

// The product of `input` and `mat2`, which have `rank` dimensions, equal except for the last two.
absl::StatusOr<Shapes> Product(const RuleArgs& args, size_t rank) {
  ASSIGN_OR_RETURN(std::vector<int64_t> left, args.Shape("input"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> right, args.Shape("mat2"));
  const bool fits = left.size() == rank && right.size() == rank && left.back() == right[rank - 2] &&
                    (rank == 2 || left.front() == right.front());
  if (!fits) return absl::InvalidArgumentError(absl::StrCat("no product of ", rank, " dimensions"));
  left.back() = right.back();
  return Shapes{std::move(left)};
}

}  // namespace

DIOPI_SHAPE_RULE(bmm, args) {
  return Product(args, 3);
}

DIOPI_SHAPE_RULE(mm, args) {
  return Product(args, 2);
}

}  // namespace diopi::cases
