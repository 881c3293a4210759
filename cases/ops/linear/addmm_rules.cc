#include "absl/strings/str_cat.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The product of two matrices (mat1, mat2) or of two stacks of them (batch1, batch2).
DIOPI_SHAPE_RULE(added_product, args) {
  const bool stacks = args.Has("batch1");
  absl::StatusOr<std::vector<int64_t>> left = args.Shape(stacks ? "batch1" : "mat1");
  const absl::StatusOr<std::vector<int64_t>> right = args.Shape(stacks ? "batch2" : "mat2");
  if (!left.ok()) return left.status();
  if (!right.ok()) return right.status();
  const size_t rank = stacks ? 3 : 2;
  if (left->size() != rank || right->size() != rank || left->back() != (*right)[rank - 2]) {
    return absl::InvalidArgumentError(absl::StrCat("no product of ", rank, " dimensions"));
  }
  left->back() = right->back();
  return Shapes{*std::move(left)};
}

}  // namespace diopi::cases
