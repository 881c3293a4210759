// Gate X, and what all judges share.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/judges.h"
#include "baselines/compare/rule.h"
#include "baselines/compare/tally.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

bool SameElement(const HostTensor& a, const HostTensor& b, int64_t i) {
  const size_t bytes = static_cast<size_t>(ElementSize(a.dtype));
  const size_t at = static_cast<size_t>(i) * bytes;
  if (std::memcmp(a.data.data() + at, b.data.data() + at, bytes) == 0) return true;
  return IsFloating(a.dtype) && std::isnan(ElementAsDouble(a.dtype, a.data.data(), i)) &&
         std::isnan(ElementAsDouble(b.dtype, b.data.data(), i));
}

// What the public harness says about one pair.
bool PeerAgrees(const PointwiseRule& rule, double y, double r) {
  if (std::isnan(y) || std::isnan(r)) return std::isnan(y) && std::isnan(r);
  if (std::isinf(y) || std::isinf(r)) return y == r;
  return std::fabs(y - r) <= rule.peer_atol + rule.peer_rtol * std::fabs(r);
}

// Where the mismatches lie, when that is telling.
std::string Pattern(const HostTensor& actual, const Tally& tally) {
  const int64_t n = tally.elements;
  if (tally.mismatches == 0) return "";
  if (tally.zeros == n) return "; the whole output is zero";
  if (tally.nan == n) return "; the whole output is NaN";
  if (tally.mismatches == n) return n > 1 ? "; every element" : "";
  if (n > 8 && tally.last == n - 1 && tally.first[0] == n - tally.mismatches && tally.mismatches < n / 2) {
    return absl::StrCat("; just the last ", tally.mismatches);
  }
  const int64_t row = actual.shape.empty() ? 1 : actual.shape.back();
  if (row > 1 && tally.mismatches % row == 0 && tally.first[0] % row == 0 &&
      tally.last - tally.first[0] + 1 == tally.mismatches) {
    return absl::StrCat("; whole rows from ", tally.first[0] / row, " to ", tally.last / row);
  }
  return "";
}

}  // namespace

const HostTensor* Find(const TensorMap& tensors, const std::string& key) {
  const auto found = tensors.find(key);
  return found == tensors.end() ? nullptr : &found->second;
}

std::string ElementText(const HostTensor& tensor, int64_t index) {
  const char* at = tensor.data.data() + static_cast<size_t>(index * ElementSize(tensor.dtype));
  switch (tensor.dtype) {
    case D::bool_:
      return *at == 0 ? "false" : *at == 1 ? "true" : absl::StrCat("byte ", static_cast<uint8_t>(*at));
    case D::int64: {
      int64_t value;
      std::memcpy(&value, at, sizeof value);
      return absl::StrCat(value);
    }
    case D::uint64: {
      uint64_t value;
      std::memcpy(&value, at, sizeof value);
      return absl::StrCat(value);
    }
    default:
      return absl::StrFormat("%.*g", tensor.dtype == D::float64 ? 17 : 9,
                             ElementAsDouble(tensor.dtype, tensor.data.data(), index));
  }
}

void FailOutput(const std::string& gate, const std::string& detail, v1::OutputStats* stats) {
  stats->set_ok(false);
  stats->set_gates(stats->gates().empty() ? gate : absl::StrCat(stats->gates(), ",", gate));
  stats->set_detail(stats->detail().empty() ? detail : absl::StrCat(stats->detail(), "; ", detail));
}

bool CheckForm(const HostTensor& actual, Dtype dtype, const std::vector<int64_t>& shape,
               v1::OutputStats* stats) {
  if (actual.dtype != dtype) {
    FailOutput("S",
               absl::StrCat("dtype ", std::string(DtypeName(actual.dtype)), ", expected ",
                            std::string(DtypeName(dtype))),
               stats);
  }
  if (actual.shape != shape) {
    FailOutput("S", absl::StrCat("shape ", ShapeText(actual.shape), ", expected ", ShapeText(shape)), stats);
  }
  return stats->ok();
}

void CountElements(const HostTensor& actual, v1::OutputStats* stats) {
  const int64_t n = NumElements(actual.shape);
  int64_t nan = 0, inf = 0, zeros = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double y = ElementAsDouble(actual.dtype, actual.data.data(), i);
    nan += std::isnan(y) ? 1 : 0;
    inf += std::isinf(y) ? 1 : 0;
    zeros += y == 0 ? 1 : 0;
  }
  stats->set_elements(n);
  stats->set_nan_actual(nan);
  stats->set_inf_actual(inf);
  stats->set_zero_fraction(n == 0 ? 0 : static_cast<double>(zeros) / static_cast<double>(n));
}

void JudgeExact(const HostTensor& actual, const HostTensor& expected, v1::OutputStats* stats) {
  if (!CheckForm(actual, expected.dtype, expected.shape, stats)) return;
  const bool floating = IsFloating(actual.dtype);
  const PointwiseRule rule = RuleFor(floating ? actual.dtype : D::float32, 0);
  Tally tally;
  tally.elements = NumElements(actual.shape);
  for (int64_t i = 0; i < tally.elements; ++i) {
    const double y = ElementAsDouble(actual.dtype, actual.data.data(), i);
    const double r = ElementAsDouble(expected.dtype, expected.data.data(), i);
    const bool bad_bool =
        actual.dtype == D::bool_ && static_cast<uint8_t>(actual.data[static_cast<size_t>(i)]) > 1;
    const bool same = SameElement(actual, expected, i) && !bad_bool;
    tally.nan += std::isnan(y) ? 1 : 0;
    tally.inf += std::isinf(y) ? 1 : 0;
    tally.zeros += y == 0 ? 1 : 0;
    tally.peer_mismatches += PeerAgrees(rule, y, r) ? 0 : 1;
    const double d = same || !std::isfinite(y) || !std::isfinite(r) ? 0 : std::fabs(y - r);
    tally.max_abs = std::max(tally.max_abs, d);
    if (d > 0 && r != 0) tally.max_rel = std::max(tally.max_rel, d / std::fabs(r));
    if (floating) {
      const Point point = Judge(rule, y, r, 0, 0);
      tally.max_ulp = std::max(tally.max_ulp, same ? 0 : point.ulps);
      ++tally.histogram[HistogramBin(same ? 0 : point.ulps)];
    }
    if (!same) tally.AddMismatch(i);
  }
  tally.ToStats(stats);
  for (const int64_t i : tally.first) {
    v1::Mismatch* first = stats->add_first();
    first->set_index(i);
    first->set_actual(ElementAsDouble(actual.dtype, actual.data.data(), i));
    first->set_expected(ElementAsDouble(expected.dtype, expected.data.data(), i));
    first->set_actual_text(ElementText(actual, i));
    first->set_expected_text(ElementText(expected, i));
  }
  if (tally.mismatches == 0) return;
  const int64_t i = tally.first[0];
  FailOutput("X",
             absl::StrCat(tally.mismatches, " of ", tally.elements, " elements differ, first at [", i,
                          "]: got ", ElementText(actual, i), ", expected ", ElementText(expected, i),
                          " exactly", Pattern(actual, tally)),
             stats);
}

void JudgeUnordered(const HostTensor& actual, const HostTensor& expected, v1::OutputStats* stats) {
  if (!CheckForm(actual, expected.dtype, expected.shape, stats)) return;
  const auto sorted = [](const HostTensor& tensor) {
    HostTensor result = tensor;
    const size_t rows = tensor.shape.empty() ? 1 : static_cast<size_t>(tensor.shape[0]);
    const size_t bytes = rows == 0 ? 0 : tensor.data.size() / rows;
    std::vector<size_t> order(rows);
    std::iota(order.begin(), order.end(), size_t{0});
    const auto row = [&](size_t i) { return std::string_view(tensor.data).substr(i * bytes, bytes); };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return row(a) < row(b); });
    result.data.clear();
    for (const size_t i : order) result.data.append(row(i));
    return result;
  };
  JudgeExact(sorted(actual), sorted(expected), stats);
}

}  // namespace diopi::baselines
