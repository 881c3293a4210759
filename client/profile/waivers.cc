// Only outputs that are judged by a tolerance can be waived: a wrong shape, dtype or index stays a failure.
// Bits are compared before values, because integers beyond 2^53 that differ may be equal as doubles; such a
// pair is outside unless the tolerance covers a whole unit.
#include "client/profile/waivers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/readings.h"
#include "cases/base/dtype.h"
#include "cases/findings/finding.h"

namespace diopi::profile {
namespace {

struct Outside {
  int64_t elements = 0;
  int64_t first = -1;
};

bool Inside(double actual, double expected, const v1::Tolerance& tolerance) {
  if (std::isnan(actual) || std::isnan(expected)) return std::isnan(actual) && std::isnan(expected);
  if (std::isinf(actual) || std::isinf(expected)) return actual == expected;
  return std::fabs(actual - expected) <= tolerance.atol() + tolerance.rtol() * std::fabs(expected);
}

Outside CountOutside(const HostTensor& actual, const HostTensor& expected, const v1::Tolerance& tolerance) {
  Outside outside;
  const int64_t elements = NumElements(expected.shape);
  const auto size = static_cast<size_t>(ElementSize(expected.dtype));
  const bool same_type = actual.dtype == expected.dtype;
  for (int64_t i = 0; i < elements; ++i) {
    // Compares bits first: integers beyond 2^53 do not fit a double.
    if (same_type && std::memcmp(actual.data.data() + static_cast<size_t>(i) * size,
                                 expected.data.data() + static_cast<size_t>(i) * size, size) == 0) {
      continue;
    }
    const double y = ElementAsDouble(actual.dtype, actual.data.data(), i);
    const double r = ElementAsDouble(expected.dtype, expected.data.data(), i);
    const bool hidden = same_type && !IsFloating(actual.dtype) && y == r && tolerance.atol() < 1;
    if (Inside(y, r, tolerance) && !(hidden && tolerance.rtol() == 0)) continue;
    if (outside.first < 0) outside.first = i;
    ++outside.elements;
  }
  return outside;
}

bool HasTolerance(v1::Judge::Kind kind) {
  return kind == v1::Judge::EXACT || kind == v1::Judge::MATH || kind == v1::Judge::ACCUMULATION ||
         kind == v1::Judge::COMPOSITION;
}

// BEYOND_WAIVER with the name of an output that is not judged by a tolerance, otherwise what is wrong with
// the output.
std::optional<v1::Finding> WhyOutputBeyond(const v1::Tolerance& tolerance,
                                           const std::vector<baselines::JudgedOutput>& judged,
                                           const TensorMap& references, const TensorMap& actual,
                                           const std::string& key) {
  v1::Finding not_judged = Found(v1::Finding::BEYOND_WAIVER).Name(key);
  const auto judge = std::find_if(judged.begin(), judged.end(), [&](const baselines::JudgedOutput& one) {
    return one.key == key || (one.library_allocated && baselines::BelongsTo(key, one.key));
  });
  if (judge == judged.end() || !HasTolerance(judge->kind)) return not_judged;
  const auto found = actual.find(key);
  const auto reference = references.find(key);
  if (found == actual.end() || reference == references.end()) return Found(v1::Finding::OUTPUT_MISSING);
  HostTensor parts;
  const HostTensor& y = baselines::AsJudged(*judge, found->second, &parts);
  const HostTensor& r = reference->second;
  if (y.dtype != judge->dtype) {
    return Found(v1::Finding::WRONG_DTYPE)
        .Got(std::string(DtypeName(y.dtype)))
        .Expected(std::string(DtypeName(judge->dtype)));
  }
  if (y.shape != r.shape)
    return Found(v1::Finding::WRONG_SHAPE).Got(ShapeText(y.shape)).Expected(ShapeText(r.shape));
  if (!IsFloating(y.dtype) && !IsInteger(y.dtype) && y.dtype != v1::Dtype::bool_) return not_judged;
  const Outside outside = CountOutside(y, r, tolerance);
  const int64_t elements = NumElements(r.shape);
  if (static_cast<double>(outside.elements) <= tolerance.mismatch_ratio() * static_cast<double>(elements)) {
    return std::nullopt;
  }
  const auto number = [&outside](const HostTensor& tensor) {
    return absl::StrFormat("%.9g", ElementAsDouble(tensor.dtype, tensor.data.data(), outside.first));
  };
  return Found(v1::Finding::WRONG_ELEMENTS)
      .Count(outside.elements)
      .Of(elements)
      .Place(PlaceAt(r.shape, outside.first))
      .Got(number(y))
      .Expected(number(r));
}

}  // namespace

std::optional<absl::CivilDay> ParseDay(const std::string& text) {
  constexpr size_t kLength = 10;  // YYYY-MM-DD
  absl::CivilDay day;
  if (text.size() != kLength || !absl::ParseCivilTime(text, &day)) return std::nullopt;
  return day;
}

absl::CivilDay Today() {
  return absl::ToCivilDay(absl::Now(), absl::UTCTimeZone());
}

std::optional<v1::Finding> WhyBeyond(const v1::Tolerance& tolerance, const v1::Case& c,
                                     const TensorMap& references, const TensorMap& actual,
                                     const v1::Verdict& verdict) {
  const std::vector<baselines::JudgedOutput> judged = baselines::JudgedOutputs(c);
  TensorMap aligned = actual;
  if (const v1::Reading* signs = baselines::FindReading(c, v1::Reading::OPPOSITE_SIGNS)) {
    baselines::TakeOppositeSigns(*signs, references, ReferencePart::kValue, &aligned);
  }
  v1::Finding beyond = Found(v1::Finding::BEYOND_WAIVER).Limit(ToleranceText(tolerance));
  bool any = false;
  for (const v1::OutputStats& stats : verdict.outputs()) {
    if (stats.ok()) continue;
    any = true;
    std::optional<v1::Finding> why = WhyOutputBeyond(tolerance, judged, references, aligned, stats.key());
    if (!why.has_value()) continue;
    if (why->code() == v1::Finding::BEYOND_WAIVER) {
      beyond.set_name(why->name());
    } else {
      *beyond.add_parts() = Found(v1::Finding::OF_OUTPUT).Name(stats.key()).Part(*std::move(why));
    }
  }
  beyond.set_exact(!any);
  if (any && beyond.parts().empty() && beyond.name().empty()) return std::nullopt;
  return beyond;
}

std::string ToleranceText(const v1::Tolerance& tolerance) {
  std::vector<std::string> parts;
  if (tolerance.atol() != 0) parts.push_back(absl::StrCat("atol ", tolerance.atol()));
  if (tolerance.rtol() != 0) parts.push_back(absl::StrCat("rtol ", tolerance.rtol()));
  if (tolerance.mismatch_ratio() != 0) {
    parts.push_back(absl::StrCat(tolerance.mismatch_ratio() * 100, " % of the elements"));
  }
  return absl::StrJoin(parts, ", ");
}

}  // namespace diopi::profile
