// The shape of drawn indices.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// `num_samples` in place of the last dimension of `input`.
DIOPI_SHAPE_RULE(multinomial, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const int64_t count, args.Int("num_samples"));
  if (shape.empty() || shape.size() > 2) {
    return absl::InvalidArgumentError("input must have one dimension or two");
  }
  if (!args.Bool("replacement").value_or(true) && count > shape.back()) {
    return absl::InvalidArgumentError("more draws than indices");
  }
  shape.back() = count;
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
