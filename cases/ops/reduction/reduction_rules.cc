// Shapes of reductions whose arguments have other names.
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// amax: `self` without the dimensions `dim` (none named: without any), or with ones there.
DIOPI_SHAPE_RULE(reduce_self, args) {
  const absl::StatusOr<std::vector<int64_t>> shape = args.Shape("self"), dims = args.Sizes("dim");
  const absl::StatusOr<bool> keep = args.Bool("keepdim");
  for (const absl::Status& status : {shape.status(), dims.status(), keep.status()}) {
    if (!status.ok()) return status;
  }
  std::vector<bool> gone(shape->size(), dims->empty());
  for (const int64_t dim : *dims) {
    if (shape->empty()) break;  // PyTorch lets 0 and -1 name the only "dimension" of a scalar
    ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(dim, static_cast<int64_t>(shape->size())));
    gone[static_cast<size_t>(at)] = true;
  }
  std::vector<int64_t> result;
  for (size_t i = 0; i < shape->size(); ++i) {
    if (!gone[i] || *keep) result.push_back(gone[i] ? 1 : (*shape)[i]);
  }
  return Shapes{result};
}

}  // namespace diopi::cases
