// Shapes of what attention saves for its gradients.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The log-sum-exp of each query: (batch, head, place) from `q` of (batch, place, head, dim).
DIOPI_SHAPE_RULE(attention_lse, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> q, args.Shape("q"));
  if (q.size() != 4) return absl::InvalidArgumentError("`q` needs 4 dimensions");
  return Shapes{{q[0], q[2], q[1]}};
}

// The same for sequences of unequal length: (sequence, head, place up to the longest).
DIOPI_SHAPE_RULE(attention_sequences_lse, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> q, args.Shape("q"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> starts, args.Shape("cum_seq_q"));
  ASSIGN_OR_RETURN(const int64_t most, args.Int(args.Has("max_q") ? "max_q" : "max_seqlen_q"));
  if (q.size() != 3 || starts.size() != 1 || starts[0] < 1) {
    return absl::InvalidArgumentError("`q` needs 3 dimensions, and `cum_seq_q` one and a first element");
  }
  return Shapes{{starts[0] - 1, q[1], most}};
}

// The shape of `x`, whose last dimension is pairs of elements that turn by the angles of `cos`.
DIOPI_SHAPE_RULE(rotated, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> x, args.Shape("x"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> cos, args.Shape("cos"));
  if (x.empty() || cos.empty() || x.back() != 2 * cos.back()) {
    return absl::InvalidArgumentError("`cos` does not have half of the last dimension of `x`");
  }
  return Shapes{x};
}

}  // namespace diopi::cases
