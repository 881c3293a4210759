#include "cases/core/shape_rules.h"

namespace diopi::cases {

// A filter for each rotation.
DIOPI_SHAPE_RULE(active_rotated_filter, args) {
  const absl::StatusOr<std::vector<int64_t>> input = args.Shape("input"), indices = args.Shape("indices");
  for (const absl::Status& status : {input.status(), indices.status()}) {
    if (!status.ok()) return status;
  }
  if (input->size() != 5 || indices->size() != 4) {
    return absl::InvalidArgumentError("`input` needs 5 dimensions, `indices` 4");
  }
  return Shapes{{(*input)[0] * (*indices)[3], (*input)[1] * (*input)[2], (*input)[3], (*input)[4]}};
}

// The filters before they were turned.
DIOPI_SHAPE_RULE(active_rotated_filter_grad, args) {
  const absl::StatusOr<std::vector<int64_t>> grad = args.Shape("grad_out"), indices = args.Shape("indices");
  for (const absl::Status& status : {grad.status(), indices.status()}) {
    if (!status.ok()) return status;
  }
  if (grad->size() != 4 || indices->size() != 4 || (*indices)[0] == 0 || (*indices)[3] == 0) {
    return absl::InvalidArgumentError("`grad_out` and `indices` need 4 dimensions and elements");
  }
  return Shapes{
      {(*grad)[0] / (*indices)[3], (*grad)[1] / (*indices)[0], (*indices)[0], (*grad)[2], (*grad)[3]}};
}

}  // namespace diopi::cases
