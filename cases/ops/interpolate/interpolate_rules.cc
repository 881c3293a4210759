// Shapes of resizing.
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// `input` with its dimensions from the third on replaced by `size`.
DIOPI_SHAPE_RULE(resized, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(std::vector<int64_t> size, args.Sizes("size"));
  if (size.size() + 2 != shape.size()) {
    return absl::InvalidArgumentError("`size` needs a value for each dimension of `input` from the third on");
  }
  shape.resize(2);
  shape.insert(shape.end(), size.begin(), size.end());
  return Shapes{shape};
}

// The sizes in `in_size`.
DIOPI_SHAPE_RULE(in_size, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> size, args.Sizes("in_size"));
  return Shapes{size};
}

}  // namespace diopi::cases
