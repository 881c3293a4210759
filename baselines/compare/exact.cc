// Gate X.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/rule.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

bool SameElement(const HostTensor& a, const HostTensor& b, int64_t i) {
  const size_t bytes = static_cast<size_t>(ElementSize(a.dtype));
  const size_t at = static_cast<size_t>(i) * bytes;
  if (a.dtype == D::bool_ && static_cast<uint8_t>(a.data[at]) > 1) return false;
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

// One element's figures, mismatch or not.
void Measure(const PointwiseRule& rule, double y, double r, bool same, bool floating, Tally* tally) {
  ++tally->elements;
  tally->nan += std::isnan(y) ? 1 : 0;
  tally->inf += std::isinf(y) ? 1 : 0;
  tally->zeros += y == 0 ? 1 : 0;
  tally->peer_mismatches += PeerAgrees(rule, y, r) ? 0 : 1;
  const double d = same || !std::isfinite(y) || !std::isfinite(r) ? 0 : std::fabs(y - r);
  tally->max_abs = std::max(tally->max_abs, d);
  if (d > 0 && r != 0) tally->max_rel = std::max(tally->max_rel, d / std::fabs(r));
  if (!floating) return;
  const double ulps = same ? 0 : Judge(rule, y, r, 0, 0).ulps;
  tally->max_ulp = std::max(tally->max_ulp, ulps);
  ++tally->histogram[HistogramBin(ulps)];
}

void AddFirst(const Job& job, const Tally& tally, v1::OutputStats* stats) {
  for (const int64_t i : tally.first) {
    v1::Mismatch* first = stats->add_first();
    first->set_index(i);
    first->set_actual(ElementAsDouble(job.actual.dtype, job.actual.data.data(), i));
    first->set_expected(ElementAsDouble(job.expected.dtype, job.expected.data.data(), i));
    first->set_actual_text(ElementText(job.actual, i));
    first->set_expected_text(ElementText(job.expected, i));
  }
}

std::string Finding(const Job& job, const Tally& tally) {
  const int64_t i = tally.first.front();
  std::string text = absl::StrCat(CountText(tally.mismatches, tally.elements), ", first at ",
                                  PlaceText(job.actual.shape, i), ": got ", ElementText(job.actual, i),
                                  ", expected ", ElementText(job.expected, i), " exactly");
  if (tally.elements > 1 && tally.zeros == tally.elements) return text + "; the whole output is zero";
  if (tally.elements > 1 && tally.nan == tally.elements) return text + "; the whole output is NaN";
  return text + TailText(tally);
}

}  // namespace

bool JudgeExact(const Job& job, v1::OutputStats* stats, std::string* harness_error) {
  if (job.expected.dtype != job.actual.dtype) {
    *harness_error = absl::StrCat("the reference is ", std::string(DtypeName(job.expected.dtype)),
                                  ", expected ", std::string(DtypeName(job.actual.dtype)));
    return false;
  }
  const bool floating = IsFloating(job.actual.dtype);
  const PointwiseRule rule = RuleFor(floating ? job.actual.dtype : D::float32, 0);
  Tally tally;
  const int64_t count = NumElements(job.actual.shape);
  for (int64_t i = 0; i < count; ++i) {
    const bool same = SameElement(job.actual, job.expected, i);
    Measure(rule, ElementAsDouble(job.actual.dtype, job.actual.data.data(), i),
            ElementAsDouble(job.expected.dtype, job.expected.data.data(), i), same, floating, &tally);
    if (!same) tally.AddMismatch(i);
  }
  tally.ToStats(stats);
  AddFirst(job, tally, stats);
  if (tally.mismatches > 0) Fail("X", Finding(job, tally), stats);
  return true;
}

}  // namespace diopi::baselines
