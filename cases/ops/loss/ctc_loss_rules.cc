#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The dimension of `log_probs` that counts samples.
DIOPI_SHAPE_RULE(ctc_samples, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, args.Shape("log_probs"));
  if (shape.size() != 3) return absl::InvalidArgumentError("`log_probs` needs 3 dimensions");
  return Shapes{{shape[1]}};
}

// One for each sample when unreduced, a single number otherwise.
DIOPI_SHAPE_RULE(ctc_loss, args) {
  ASSIGN_OR_RETURN(const int64_t reduction, args.Int("reduction"));
  if (reduction != 0) return Shapes{{}};
  return diopi_shape_rule_ctc_samples(args);
}

}  // namespace diopi::cases
