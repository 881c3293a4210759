#include "baselines/compare/groups.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "absl/strings/numbers.h"
#include "cases/base/tensor.h"

namespace diopi::baselines {
namespace {

// The elements of a row that takes the last dimensions, where the case says from which one on.
std::optional<int64_t> TrailingRow(const v1::Case& c, const std::vector<int64_t>& shape) {
  const auto product = [](auto begin, auto end) {
    return std::accumulate(begin, end, int64_t{1}, std::multiplies<>());
  };
  const v1::Argument* normalized = FindArgument(c, "normalized_shape");
  if (normalized != nullptr && normalized->has_sizes()) {
    const auto& sizes = normalized->sizes().values();
    return product(sizes.begin(), sizes.end());
  }
  double from = 0;
  if (!NumberOf(c, "begin_norm_axis", &from)) return std::nullopt;
  const auto rank = static_cast<int64_t>(shape.size());
  const auto axis = static_cast<int64_t>(from) + (from < 0 ? rank : 0);
  return product(shape.begin() + std::clamp<int64_t>(axis, 0, rank), shape.end());
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
  if (groups == "row") {
    const int64_t row = TrailingRow(c, shape).value_or(SlicesOf(c, shape).middle);
    return std::max<int64_t>(elements / std::max<int64_t>(row, 1), 1);
  }
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
  if (const std::optional<int64_t> row = TrailingRow(c, shape); row.has_value())
    return index / std::max<int64_t>(*row, 1);
  const Slices rows = SlicesOf(c, shape);
  return index / (rows.middle * rows.inner) * rows.inner + index % rows.inner;
}

}  // namespace diopi::baselines
