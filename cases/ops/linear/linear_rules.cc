// Shapes around a weight of [out, in].
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// linear's out: `input` with its last dimension replaced by the output features of `weight`.
DIOPI_SHAPE_RULE(linear, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(std::vector<int64_t> weight, args.Shape("weight"));
  if (weight.size() != 2 || shape.empty() || shape.back() != weight[1]) {
    return absl::InvalidArgumentError("`weight` does not fit `input`");
  }
  shape.back() = weight[0];
  return Shapes{shape};
}

// The gradient of a bias that the function does not take: one for each output feature or filter.
DIOPI_SHAPE_RULE(bias_of_weight, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> weight, args.Shape("weight"));
  if (weight.empty()) return absl::InvalidArgumentError("`weight` has no dimension");
  return Shapes{{weight[0]}};
}

}  // namespace diopi::cases
