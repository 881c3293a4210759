#include "cases/base/status_macros.h"
#include "cases/core/shape_rules.h"

namespace diopi::cases {

// The dimension counts windows, whose elements become a new last dimension.
DIOPI_SHAPE_RULE(unfold, args) {
  const absl::StatusOr<std::vector<int64_t>> input = args.Shape("input");
  const absl::StatusOr<int64_t> dim = args.Int("dim"), size = args.Int("size"), step = args.Int("step");
  for (const absl::Status& status : {input.status(), dim.status(), size.status(), step.status()}) {
    if (!status.ok()) return status;
  }
  // A 0-d tensor has the windows of a tensor of one element, which are the only dimension of the result.
  const bool is_number = input->empty();
  std::vector<int64_t> shape = is_number ? std::vector<int64_t>{1} : *input;
  ASSIGN_OR_RETURN(const int64_t at, NormalizeDim(*dim, static_cast<int64_t>(shape.size())));
  int64_t& length = shape[static_cast<size_t>(at)];
  if (*size > length || *step < 1) return absl::InvalidArgumentError("no window fits");
  if (is_number) return Shapes{{*size}};
  length = (length - *size) / *step + 1;
  shape.push_back(*size);
  return Shapes{std::move(shape)};
}

}  // namespace diopi::cases
