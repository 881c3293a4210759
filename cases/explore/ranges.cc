#include "cases/explore/ranges.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"

namespace diopi::explore {
namespace {

constexpr int64_t kParts = 8;  // of a range
constexpr int64_t kMostKnown = 3;
constexpr double kSquareOverflows = 256;  // in float16
constexpr double kSigmas = 3;             // of normal numbers that are taken for their range

struct Range {
  double low, high;
  bool Inside(double value) const { return low < value && value < high; }
};

std::optional<Range> RangeOf(const v1::Fill& fill) {
  switch (fill.kind_case()) {
    case v1::Fill::KIND_NOT_SET:
      return Range{-kSigmas, kSigmas};
    case v1::Fill::kNormal: {
      const double std = fill.normal().has_std() ? fill.normal().std() : 1, mean = fill.normal().mean();
      return Range{mean - kSigmas * std, mean + kSigmas * std};
    }
    case v1::Fill::kUniform:
      return Range{fill.uniform().low(), fill.uniform().high()};
    case v1::Fill::kLognormal: {
      const double most = std::exp2(2 * fill.lognormal().spread());
      return Range{fill.lognormal().signed_() ? -most : 1 / most, most};
    }
    default:
      return std::nullopt;
  }
}

// The range of one of the fills, chosen at random.
std::optional<Range> DrawRange(const std::vector<v1::Fill>& known, Draws* draws) {
  std::vector<Range> ranges;
  for (const v1::Fill& fill : known) {
    const std::optional<Range> range = RangeOf(fill);
    if (range.has_value() && range->low < range->high) ranges.push_back(*range);
  }
  if (ranges.empty()) return std::nullopt;
  return ranges[static_cast<size_t>(draws->Below(static_cast<int64_t>(ranges.size())))];
}

std::string Described(const v1::PointTensor& tensor) {
  return absl::StrCat(tensor.name(), ": values ", tensor.fill().ShortDebugString());
}

}  // namespace

std::string Narrow(const std::vector<v1::Fill>& known, bool ties, Draws* draws, v1::PointTensor* tensor) {
  const std::optional<Range> range = DrawRange(known, draws);
  if (!range.has_value()) return "";
  const auto at = [&range](int64_t part) {
    return range->low + (range->high - range->low) * static_cast<double>(part) / kParts;
  };
  v1::Fill fill;
  const int64_t from = draws->Below(kParts);
  if (ties && draws->Below(4) == 0) {
    std::vector<double> possible = {at(from == 0 ? kParts / 2 : from)};
    for (const double value : {0.0, 1.0, -1.0})
      if (range->Inside(value)) possible.push_back(value);
    fill.mutable_constant()->set_value(
        possible[static_cast<size_t>(draws->Below(static_cast<int64_t>(possible.size())))]);
  } else {
    fill.mutable_uniform()->set_low(at(from));
    fill.mutable_uniform()->set_high(at(from + 1 + draws->Below(kParts - from)));
  }
  *tensor->mutable_fill() = fill;
  return Described(*tensor);
}

std::string MakeWhole(const std::vector<v1::Fill>& known, int64_t reach, Draws* draws,
                      v1::PointTensor* tensor) {
  const std::optional<Range> range = DrawRange(known, draws);
  if (!range.has_value()) return "";
  const auto most = static_cast<double>(reach);
  const double low = std::max(std::floor(range->low) + 1, -most),
               high = std::min(std::ceil(range->high) - 1, most);
  if (!(low <= high)) return "";
  v1::Fill fill;
  fill.mutable_integers()->set_low(static_cast<int64_t>(low));
  fill.mutable_integers()->set_high(static_cast<int64_t>(high));
  *tensor->mutable_fill() = fill;
  return Described(*tensor);
}

std::string Enlarge(const std::vector<v1::Fill>& known, Draws* draws, v1::PointTensor* tensor) {
  const std::optional<Range> range = DrawRange(known, draws);
  if (!range.has_value()) return "";
  const double most = std::ldexp(kSquareOverflows, static_cast<int>(draws->Below(4)));
  v1::Fill fill;
  fill.mutable_uniform()->set_low(range->low < 0 ? -most : std::min(range->low, most / 2));
  fill.mutable_uniform()->set_high(range->high > 0 ? most : std::max(range->high, -most / 2));
  *tensor->mutable_fill() = fill;
  return Described(*tensor);
}

std::string AddKnownSpecials(const std::vector<v1::Fill>& known, bool finite, Draws* draws,
                             v1::PointTensor* tensor) {
  std::vector<double> possible;
  for (const v1::Fill& fill : known) {
    for (const auto* values : {&fill.values().values(), &fill.specials().values()})
      std::copy_if(values->begin(), values->end(), std::back_inserter(possible),
                   [finite](double value) { return std::isfinite(value) == finite; });
  }
  if (possible.empty() || tensor->fill().has_values()) return "";
  const auto any = [&] {
    return possible[static_cast<size_t>(draws->Below(static_cast<int64_t>(possible.size())))];
  };
  v1::Fill* fill = tensor->mutable_fill();
  fill->clear_specials();
  if (draws->Below(8) == 0) {
    fill->mutable_constant()->set_value(any());
    return Described(*tensor);
  }
  for (int64_t left = 1 + draws->Below(kMostKnown); left > 0; --left)
    fill->mutable_specials()->add_values(any());
  fill->mutable_specials()->set_tail(draws->Below(4) == 0);
  return Described(*tensor);
}

}  // namespace diopi::explore
