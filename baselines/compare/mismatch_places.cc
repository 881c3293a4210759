// Where the mismatches lie.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/patterns.h"
#include "cases/findings/finding.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

// A coincidence rarer than one in a thousand counts as a cause.
constexpr double kImprobable = 1000;
constexpr double kWidths = 9;  // vector widths that are tried

// The places of NaN and infinities depend on the inputs, which have them at the ends on purpose. Outputs that
// cannot hold them do not show whether they have met one.
bool AnySpecial(const Evidence& evidence, const Tally& tally) {
  if (!IsFloating(evidence.actual().dtype)) return evidence.GivenNan() || evidence.GivenInfinity();
  for (int64_t i = tally.first.front(); i <= tally.last; ++i) {
    if (!evidence.Wrong(i)) continue;
    if (!std::isfinite(evidence.Expected(i)) || !std::isfinite(evidence.Actual(i))) return true;
  }
  return false;
}

// The smallest box around the mismatches.
struct Box {
  std::vector<int64_t> low, high;

  Box(const Evidence& evidence, const Tally& tally) {
    const std::vector<int64_t>& shape = evidence.actual().shape;
    low.assign(shape.size(), INT64_MAX);
    high.assign(shape.size(), -1);
    for (int64_t i = tally.first.front(); i <= tally.last; ++i) {
      if (evidence.Wrong(i)) Add(shape, i);
    }
  }
  void Add(const std::vector<int64_t>& shape, int64_t index) {
    for (size_t d = shape.size(); d-- > 0;) {
      const int64_t at = index % shape[d];
      index /= shape[d];
      low[d] = std::min(low[d], at);
      high[d] = std::max(high[d], at);
    }
  }
};

// The last `tail` of `size` elements. `of`: at how many places the tail could have been.
Remark TailRemark(F::Code code, int64_t size, int64_t tail, double of) {
  v1::Finding found = Found(code).Count(tail);
  const int64_t width = VectorWidth(size, tail);
  if (width == 0) return {{found}, std::nullopt};
  found.set_limit(absl::StrCat(width));
  if (of < kImprobable) return {{found}, std::nullopt};
  return {{found}, Found(F::TAIL_WRONG).Limit(absl::StrCat(width)), 1 - kWidths / of};
}

// How many ways there are to choose k of n, up to a large number.
double Choices(int64_t n, int64_t k) {
  double ways = 1;
  for (int64_t i = 0; i < k && ways < 1e9; ++i)
    ways *= static_cast<double>(n - i) / static_cast<double>(i + 1);
  return ways;
}

// "[0, :, 4]" where the box is thin; nothing when no thin dimension is significant.
Remark SliceRemark(const std::vector<int64_t>& shape, const Box& box, const Tally& tally) {
  std::vector<std::string> place;
  std::vector<size_t> last;  // dimensions
  double chance = 1;
  int64_t slice = tally.elements;
  std::optional<v1::Finding> cause;
  for (size_t d = 0; d < shape.size(); ++d) {
    const bool thin = box.low[d] == box.high[d];
    place.push_back(thin ? absl::StrCat(box.low[d]) : ":");
    if (!thin || shape[d] == 1) continue;
    chance *= std::pow(static_cast<double>(shape[d]), static_cast<double>(tally.mismatches - 1));
    slice /= shape[d];
    if (box.low[d] != shape[d] - 1) continue;
    last.push_back(d);
    const int64_t width = VectorWidth(shape[d], 1);
    if (width == 0) continue;
    cause = Found(F::TAIL_LEFT_OUT).Index(static_cast<int64_t>(d)).Count(shape[d]).Limit(absl::StrCat(width));
  }
  if (tally.mismatches < 2 || chance < kImprobable) return {};
  if (slice != tally.mismatches) cause.reset();
  return {{Found(F::ALL_WITHIN)
               .Got(absl::StrCat("[", absl::StrJoin(place, ", "), "]"))
               .Word(absl::StrJoin(last, ", "))},
          std::move(cause),
          1 - kWidths / chance};
}

}  // namespace

int64_t VectorWidth(int64_t size, int64_t tail) {
  for (int64_t width = 1024; width >= 4; width /= 2) {
    if (size > width && size % width == tail) return width;
  }
  return 0;
}

namespace {

Remark Place(const Evidence& evidence, const Tally& tally) {
  const int64_t count = tally.mismatches;
  if (tally.first.empty() || count == tally.elements) return {};
  const bool ends = tally.last == tally.elements - 1;
  if (ends && tally.first.front() == tally.elements - count) {
    return TailRemark(F::LAST_ELEMENTS, tally.elements, count, Choices(tally.elements, count));
  }
  const std::vector<int64_t>& shape = evidence.actual().shape;
  const Box box(evidence, tally);
  if (shape.size() > 1 && ends) {
    const int64_t row = shape.back();
    const int64_t tail = row - box.low.back();
    if (tail < row && count == tally.elements / row * tail) {
      return TailRemark(F::LAST_OF_ROWS, row, tail, Choices(tally.elements, count));
    }
  }
  return SliceRemark(shape, box, tally);
}

}  // namespace

Remark WhereWrong(const Evidence& evidence, const Tally& tally) {
  Remark where = Place(evidence, tally);
  if (where.cause.has_value() && AnySpecial(evidence, tally)) where.cause.reset();
  return where;
}

}  // namespace diopi::baselines
