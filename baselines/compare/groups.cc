#include "baselines/compare/groups.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/strings/numbers.h"
#include "cases/base/tensor.h"

namespace diopi::baselines {
namespace {

int64_t RowLength(const v1::Case& c, const std::vector<int64_t>& shape) {
  const v1::Argument* normalized = FindArgument(c, "normalized_shape");
  if (normalized != nullptr && normalized->has_sizes()) {
    const auto& sizes = normalized->sizes().values();
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  }
  return SlicesOf(c, shape).middle;
}

}  // namespace

Slices SlicesAround(const std::vector<int64_t>& shape, int64_t dim) {
  const auto rank = static_cast<int64_t>(shape.size());
  if (dim < 0) dim += rank;
  Slices s;
  for (int64_t i = 0; i < rank; ++i) {
    (dim < 0 || i < dim ? s.outer : i == dim ? s.middle : s.inner) *= shape[static_cast<size_t>(i)];
  }
  return s;
}

Slices SlicesOf(const v1::Case& c, const std::vector<int64_t>& shape) {
  double dim = -1;
  NumberOf(c, "dim", &dim);
  return SlicesAround(shape, static_cast<int64_t>(dim));
}

int64_t GroupsOf(const v1::Case& c, const JudgedOutput& output, const std::vector<int64_t>& shape) {
  const int64_t elements = NumElements(shape);
  if (elements == 0) return 0;
  const std::string& groups = output.judge->groups();
  if (groups == "all") return 1;
  if (groups == "channel") return shape.size() > 1 ? shape[1] : elements;
  if (int64_t number = 0; absl::SimpleAtoi(groups, &number)) return number;
  if (groups == "row") return std::max<int64_t>(elements / std::max<int64_t>(RowLength(c, shape), 1), 1);
  return elements;
}

int64_t GroupOf(const v1::Case& c, const JudgedOutput& output, const std::vector<int64_t>& shape,
                int64_t index) {
  const std::string& groups = output.judge->groups();
  if (groups == "all") return 0;
  if (groups == "channel" && shape.size() > 1) {
    const Slices channels = SlicesAround(shape, 1);
    return index / channels.inner % channels.middle;
  }
  if (groups != "row") return index;
  if (const v1::Argument* normalized = FindArgument(c, "normalized_shape"); normalized != nullptr)
    return index / std::max<int64_t>(RowLength(c, shape), 1);
  const Slices rows = SlicesOf(c, shape);
  return index / (rows.middle * rows.inner) * rows.inner + index % rows.inner;
}

}  // namespace diopi::baselines
