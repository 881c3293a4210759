// Shapes of the statistics that normalizations save.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// layer_norm: one for each row, in the dimensions before those of `normalized_shape`.
DIOPI_SHAPE_RULE(layer_norm_rows, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(std::vector<int64_t> normalized, args.Sizes("normalized_shape"));
  if (normalized.size() > shape.size()) {
    return absl::InvalidArgumentError("`normalized_shape` has more dimensions than `input`");
  }
  if (!std::equal(normalized.rbegin(), normalized.rend(), shape.rbegin()))
    return absl::InvalidArgumentError("`input` does not end with `normalized_shape`");
  shape.resize(shape.size() - normalized.size());
  return Shapes{shape};
}

// layer_norm: the weight and the bias have the shape `normalized_shape`.
DIOPI_SHAPE_RULE(normalized, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> normalized, args.Sizes("normalized_shape"));
  return Shapes{normalized};
}

// group_norm: one for each group of each sample.
DIOPI_SHAPE_RULE(group_norm_groups, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(int64_t groups, args.Int("num_groups"));
  if (shape.size() < 2) return absl::InvalidArgumentError("`input` has no channel dimension");
  if (groups < 1 || shape[1] % groups != 0)
    return absl::InvalidArgumentError("`num_groups` does not divide the channels");
  return Shapes{{shape[0], groups}};
}

}  // namespace diopi::cases
