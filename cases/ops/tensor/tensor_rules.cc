// Shapes of stack, arange, permute, zeros and ones.
#include <cmath>

#include "absl/status/status.h"
#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The shape of the first tensor with a new dimension at `dim`, as long as the list.
DIOPI_SHAPE_RULE(stack, args) {
  ASSIGN_OR_RETURN(std::vector<std::vector<int64_t>> shapes, args.Shapes("tensors"));
  ASSIGN_OR_RETURN(const int64_t dim, args.Int("dim"));
  if (shapes.empty()) return absl::InvalidArgumentError("stack needs at least one tensor");
  std::vector<int64_t> shape = shapes.front();
  ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(dim, static_cast<int64_t>(shape.size()) + 1));
  shape.insert(shape.begin() + at, static_cast<int64_t>(shapes.size()));
  return Shapes{std::move(shape)};
}

// As many elements as lie between `start` and `end` in steps of `step`.
DIOPI_SHAPE_RULE(arange, args) {
  const absl::StatusOr<double> start = args.Number("start");
  const absl::StatusOr<double> end = args.Number("end");
  const absl::StatusOr<double> step = args.Number("step");
  if (!start.ok()) return start.status();
  if (!end.ok()) return end.status();
  if (!step.ok()) return step.status();
  const double count = std::ceil((*end - *start) / *step);
  if (!(count >= 0 && std::isfinite(count)))
    return absl::InvalidArgumentError("`step` does not lead from `start` to `end`");
  return Shapes{{static_cast<int64_t>(count)}};
}

// Dimension i of the result is dimension dims[i] of the input.
DIOPI_SHAPE_RULE(permute, args) {
  ASSIGN_OR_RETURN(const std::vector<int64_t> shape, args.Shape("input"));
  ASSIGN_OR_RETURN(const std::vector<int64_t> dims, args.Sizes("dims"));
  if (dims.size() != shape.size()) return absl::InvalidArgumentError("`dims` must name every dimension once");
  std::vector<int64_t> result;
  for (const int64_t dim : dims) {
    ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(dim, static_cast<int64_t>(shape.size())));
    result.push_back(shape[static_cast<size_t>(at)]);
  }
  return Shapes{std::move(result)};
}

// The sizes in `size`.
DIOPI_SHAPE_RULE(size, args) {
  ASSIGN_OR_RETURN(std::vector<int64_t> size, args.Sizes("size"));
  return Shapes{std::move(size)};
}

}  // namespace diopi::cases
