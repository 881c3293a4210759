#include "baselines/compare/groups.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "cases/core/tensor.h"

namespace diopi::baselines {
namespace {

int64_t RowLength(const v1::Case& c, const std::vector<int64_t>& shape) {
  const v1::Argument* normalized = FindArgument(c, "normalized_shape");
  if (normalized != nullptr && normalized->has_sizes()) {
    const auto& sizes = normalized->sizes().values();
    return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
  }
  double dim = -1;
  NumberOf(c, "dim", &dim);
  const auto rank = static_cast<int64_t>(shape.size());
  int64_t at = static_cast<int64_t>(dim);
  if (at < 0) at += rank;
  return at >= 0 && at < rank ? shape[static_cast<size_t>(at)] : 1;
}

}  // namespace

int64_t GroupsOf(const v1::Case& c, const JudgedOutput& output, const std::vector<int64_t>& shape) {
  const int64_t elements = NumElements(shape);
  if (elements == 0) return 0;
  const std::string& groups = output.judge->groups();
  if (groups == "all") return 1;
  if (groups == "channel") return shape.size() > 1 ? shape[1] : elements;
  if (groups == "row") return std::max<int64_t>(elements / std::max<int64_t>(RowLength(c, shape), 1), 1);
  return elements;
}

}  // namespace diopi::baselines
