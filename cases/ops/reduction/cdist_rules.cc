// The shape of distances between rows.
#include <algorithm>

#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The broadcast batch, the rows of `input1`, the rows of `input2`.
DIOPI_SHAPE_RULE(cdist, args) {
  const absl::StatusOr<std::vector<int64_t>> x = args.Shape("input1"), y = args.Shape("input2");
  for (const absl::Status& status : {x.status(), y.status()}) {
    if (!status.ok()) return status;
  }
  if (x->size() < 2 || y->size() < 2 || x->back() != y->back()) {
    return absl::InvalidArgumentError("input1 and input2 must be matrices with rows of one length");
  }
  const size_t rank = std::max(x->size(), y->size());
  const auto at = [&](const std::vector<int64_t>& shape, size_t d) {
    return d + shape.size() < rank ? int64_t{1} : shape[d + shape.size() - rank];
  };
  std::vector<int64_t> shape;
  for (size_t d = 0; d + 2 < rank; ++d) {
    const int64_t a = at(*x, d), b = at(*y, d);
    if (a != b && a != 1 && b != 1) return absl::InvalidArgumentError("the batches do not broadcast");
    shape.push_back(a == 1 ? b : a);
  }
  shape.push_back((*x)[x->size() - 2]);
  shape.push_back((*y)[y->size() - 2]);
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
