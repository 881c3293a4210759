// Gate X: bits must be equal, with three exceptions: any NaN equals any NaN, a computed subnormal result may
// be flushed to zero, and a real 16-bit evaluation counts where native16 is declared. Figures are measured
// for all elements, right or wrong, because reports show them for passes, too.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/rule.h"
#include "cases/core/reference_key.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;
using F = v1::Finding;

// A subnormal result that was flushed to zero, where the dtype and the judge allow it.
bool Flushed(const Job& job, const PointwiseRule& rule, double y, double r) {
  return job.output.judge->computed() && y == 0 && r != 0 && std::fabs(r) < rule.flushable;
}

bool SameElement(const HostTensor& a, const HostTensor& b, int64_t i) {
  const size_t bytes = static_cast<size_t>(ElementSize(a.dtype));
  const size_t at = static_cast<size_t>(i) * bytes;
  if (a.dtype == D::bool_ && static_cast<uint8_t>(a.data[at]) > 1) return false;
  if (std::memcmp(a.data.data() + at, b.data.data() + at, bytes) == 0) return true;
  return IsFloating(a.dtype) && std::isnan(ElementAsDouble(a.dtype, a.data.data(), i)) &&
         std::isnan(ElementAsDouble(b.dtype, b.data.data(), i));
}

// What a real 16-bit evaluation gives for computed values where native16 is declared: its intermediate
// results may round (0.5 x is subnormal) where the single rounding of the whole does not.
const HostTensor* EvaluatedIn16(const Job& job) {
  if (!job.output.judge->computed() || !IsFloating(job.actual.dtype) ||
      !Allowed(job.contracts, job.output.judge->arithmetic()).native16) {
    return nullptr;
  }
  const HostTensor* evaluated = Find(job.references, ReferenceKey(job.output.key, ReferencePart::kNative16));
  const bool fits =
      evaluated != nullptr && evaluated->dtype == job.actual.dtype && evaluated->shape == job.actual.shape;
  return fits ? evaluated : nullptr;
}

// The reference's bits, or those of the 16-bit evaluation.
bool RightElement(const Job& job, const HostTensor* evaluated, int64_t i) {
  return SameElement(job.actual, job.expected, i) ||
         (evaluated != nullptr && SameElement(job.actual, *evaluated, i));
}

// The public harness's verdict on one pair.
bool PublicRuleAgrees(const PointwiseRule& rule, double y, double r) {
  if (std::isnan(y) || std::isnan(r)) return std::isnan(y) && std::isnan(r);
  if (std::isinf(y) || std::isinf(r)) return y == r;
  return std::fabs(y - r) <= rule.public_atol + rule.public_rtol * std::fabs(r);
}

// The same for one element, and for both parts where it is complex.
bool PublicRuleAgrees(const PointwiseRule& rule, const HostTensor& actual, const HostTensor& expected,
                      int64_t i) {
  const int64_t parts = IsComplex(actual.dtype) ? 2 : 1;
  const Dtype part = PartOf(actual.dtype);
  for (int64_t k = i * parts; k < (i + 1) * parts; ++k) {
    if (!PublicRuleAgrees(rule, ElementAsDouble(part, actual.data.data(), k),
                          ElementAsDouble(part, expected.data.data(), k)))
      return false;
  }
  return true;
}

// One element's figures, mismatch or not.
void Measure(const PointwiseRule& rule, double y, double r, bool same, bool floating, Tally* tally) {
  ++tally->elements;
  tally->nan += std::isnan(y) ? 1 : 0;
  tally->inf += std::isinf(y) ? 1 : 0;
  tally->zeros += y == 0 ? 1 : 0;
  tally->distances += std::isfinite(y) && std::isfinite(r) ? 1 : 0;
  const double d = same || !std::isfinite(y) || !std::isfinite(r) ? 0 : std::fabs(y - r);
  tally->max_abs = std::max(tally->max_abs, d);
  if (d > 0 && r != 0) tally->max_rel = std::max(tally->max_rel, d / std::fabs(r));
  if (!floating) return;
  const double ulps = same ? 0 : Judge(rule, y, r, 0, 0).ulps;
  tally->max_ulp = std::max(tally->max_ulp, ulps);
  ++tally->histogram[HistogramBin(ulps)];
  ++tally->in_ulps;
}

class ExactEvidence : public JobEvidence {
 public:
  ExactEvidence(const Job& job, const PointwiseRule& rule)
      : JobEvidence(job), rule_(rule), evaluated_(EvaluatedIn16(job)) {}
  double Expected(int64_t i) const override {
    return ElementAsDouble(job_.expected.dtype, job_.expected.data.data(), i);
  }
  bool Fits(double value, int64_t i) const override {
    const double r = Expected(i);
    return std::isnan(r) ? std::isnan(value) : value == r && std::signbit(value) == std::signbit(r);
  }
  bool Wrong(int64_t i) const override {
    return !RightElement(job_, evaluated_, i) &&
           !Flushed(job_, rule_, ElementAsDouble(job_.actual.dtype, job_.actual.data.data(), i), Expected(i));
  }

 private:
  const PointwiseRule& rule_;
  const HostTensor* evaluated_;
};

void ReportWrongBits(const Job& job, const PointwiseRule& rule, const Tally& tally, v1::OutputStats* stats,
                     Findings* findings) {
  if (!job.explain) return Fail("X", {}, stats, findings);
  const int64_t first = tally.first.front();
  Fail("X", {WrongElements(job.actual, tally, ElementText(job.expected, first)).Exact(true)}, stats,
       findings);
  const ExactEvidence evidence(job, rule);
  Remark pattern = PatternOf(evidence, tally);
  const auto wrong = [&] {
    std::vector<int64_t> indices;
    for (int64_t i = first; i <= tally.last; ++i) {
      if (evidence.Wrong(i)) indices.push_back(i);
    }
    return indices;
  };
  if (!pattern.cause.has_value() && PicksEqualValues(job, wrong())) {
    pattern.observed.push_back(Found(F::EQUAL_VALUE_PICKED));
    pattern = {std::move(pattern.observed), Found(F::TIE_BROKEN)};
  }
  AddRemark(std::move(pattern), findings);
  ReportOperands(evidence, job, tally, findings);
}

}  // namespace

bool JudgeExact(const Job& job, v1::OutputStats* stats, Findings* findings) {
  if (job.expected.dtype != job.actual.dtype) {
    findings->harness_error = absl::StrCat("the reference is ", std::string(DtypeName(job.expected.dtype)),
                                           ", expected ", std::string(DtypeName(job.actual.dtype)));
    return false;
  }
  const bool floating = IsFloating(job.actual.dtype);
  const PointwiseRule rule = RuleFor(floating ? job.actual.dtype : D::float32, 0);
  const HostTensor* evaluated = EvaluatedIn16(job);
  Tally tally;
  const int64_t count = NumElements(job.actual.shape);
  for (int64_t i = 0; i < count; ++i) {
    const bool same = SameElement(job.actual, job.expected, i);
    const double y = ElementAsDouble(job.actual.dtype, job.actual.data.data(), i);
    const double r = ElementAsDouble(job.expected.dtype, job.expected.data.data(), i);
    Measure(rule, y, r, same, floating, &tally);
    tally.public_mismatches += PublicRuleAgrees(rule, job.actual, job.expected, i) ? 0 : 1;
    if (same) continue;
    if (RightElement(job, evaluated, i)) {
      findings->widened.native16 = true;
    } else if (floating && Flushed(job, rule, y, r)) {
      ++tally.flushed;
    } else {
      tally.AddMismatch(i);
    }
  }
  tally.ToStats(stats);
  for (const int64_t index : tally.first) {
    AddFirst(job.actual, index, ElementAsDouble(job.expected.dtype, job.expected.data.data(), index), 0,
             ElementText(job.expected, index), stats);
  }
  if (tally.mismatches > 0) ReportWrongBits(job, rule, tally, stats, findings);
  return true;
}

}  // namespace diopi::baselines
