// Shapes around a weight of [out, in].
#include "absl/strings/str_cat.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// linear's out: `input` with its last dimension replaced by the output features of `weight`.
DIOPI_SHAPE_RULE(linear, args) {
  absl::StatusOr<std::vector<int64_t>> shape = args.Shape("input");
  if (!shape.ok()) return shape.status();
  absl::StatusOr<std::vector<int64_t>> weight = args.Shape("weight");
  if (!weight.ok()) return weight.status();
  if (weight->size() != 2 || shape->empty() || shape->back() != (*weight)[1]) {
    return absl::InvalidArgumentError("`weight` does not fit `input`");
  }
  shape->back() = (*weight)[0];
  return Shapes{*shape};
}

// The gradient of a bias that the function does not take: one for each output feature or filter.
DIOPI_SHAPE_RULE(bias_of_weight, args) {
  absl::StatusOr<std::vector<int64_t>> weight = args.Shape("weight");
  if (!weight.ok()) return weight.status();
  if (weight->empty()) return absl::InvalidArgumentError("`weight` has no dimension");
  return Shapes{{(*weight)[0]}};
}

}  // namespace diopi::cases
