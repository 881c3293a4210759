#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The channels of `grad_output`: dimension 1.
DIOPI_SHAPE_RULE(sync_bn_mmcv_gradient_channels, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, args.Shape("grad_output"));
  if (shape.size() != 3) return absl::InvalidArgumentError("`grad_output` needs 3 dimensions");
  return Shapes{{shape[1]}};
}

}  // namespace diopi::cases
