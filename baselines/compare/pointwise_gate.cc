#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/pointwise.h"

namespace diopi::baselines {
namespace {

Point PointAt(const Job& job, const OracleView& oracle, const PointwiseRule& rule, int64_t index) {
  const Sample s = SampleAt(job.actual.dtype, job.actual.data.data(), oracle, index);
  return Judge(rule, s.y, s.r, s.sigma, s.low);
}

// Whether some statement holds for every element of the output, or for every one that differs.
template <typename Holds>
bool EveryMismatch(const Job& job, const OracleView& oracle, const PointwiseRule& rule, Holds holds) {
  const int64_t elements = NumElements(job.actual.shape);
  for (int64_t i = 0; i < elements; ++i) {
    const Sample s = SampleAt(job.actual.dtype, job.actual.data.data(), oracle, i);
    if (Judge(rule, s.y, s.r, s.sigma, s.low).bad != 0 && !holds(s)) return false;
  }
  return true;
}

// What is surely seen in the mismatches: said only when it is true of all of them, and there are several.
std::string PatternText(const Job& job, const OracleView& oracle, const PointwiseRule& rule,
                        const Tally& tally) {
  if (tally.elements > 1 && tally.nan == tally.elements) return "; the whole output is NaN";
  if (tally.elements > 1 && tally.zeros == tally.elements) return "; the whole output is zero";
  if (tally.mismatches < 4) return "";
  const auto meets = [&](const Sample& s, double y) { return Judge(rule, y, s.r, s.sigma, s.low).bad == 0; };
  if (EveryMismatch(job, oracle, rule, [](const Sample& s) { return s.y == 0; })) {
    return "; every element that differs is zero";
  }
  if (EveryMismatch(job, oracle, rule, [&](const Sample& s) { return meets(s, -s.y); })) {
    return "; every element that differs has the wrong sign";
  }
  const Sample first = SampleAt(job.actual.dtype, job.actual.data.data(), oracle, tally.first.front());
  const double factor = first.y / first.r;
  if (!std::isfinite(factor) || factor == 0) return "";
  // One factor for all, to within the output's own rounding.
  const auto scaled = [&](const Sample& s) {
    return std::fabs(s.y - factor * s.r) <= 4 * rule.ulp_of_one * std::fabs(s.y) && s.r != 0;
  };
  if (EveryMismatch(job, oracle, rule, scaled)) {
    return absl::StrFormat("; every element that differs is %.4g times what it should be", factor);
  }
  return "";
}

// RN_T(r) as a number to show.
double Shown(const Job& job, double r) {
  char bytes[16] = {};
  StoreDouble(job.actual.dtype, bytes, 0, r);
  return ElementAsDouble(job.actual.dtype, bytes, 0);
}

std::string Describe(const Job& job, const OracleView& oracle, const PointwiseRule& rule,
                     const Tally& tally) {
  const int64_t index = tally.first.front();
  const Sample s = SampleAt(job.actual.dtype, job.actual.data.data(), oracle, index);
  const Point p = PointAt(job, oracle, rule, index);
  const bool tolerant = p.finite != 0;
  return absl::StrCat(
      CountText(tally.mismatches, tally.elements), ", first at ", PlaceText(job.actual.shape, index),
      ": got ", ElementText(job.actual, index), ", expected ", NumberText(Shown(job, s.r)),
      tolerant ? absl::StrFormat(" (tolerance %.1e, off by %.1e)", p.tolerance, std::fabs(p.d)) : "",
      TailText(tally), PatternText(job, oracle, rule, tally));
}

bool Usable(const HostTensor* tensor, const HostTensor& like, bool may_be_float32) {
  return tensor != nullptr && tensor->shape == like.shape &&
         (tensor->dtype == v1::Dtype::float64 || (may_be_float32 && tensor->dtype == v1::Dtype::float32));
}

}  // namespace

bool JudgePointwise(const Job& job, v1::OutputStats* stats, std::string* harness_error) {
  const HostTensor* sigma = Find(job.references, job.output.key + ".sigma");
  const HostTensor* low = Find(job.references, job.output.key + ".low");
  if (job.expected.dtype != v1::Dtype::float64 || !Usable(sigma, job.expected, true) ||
      (low != nullptr && !Usable(low, job.expected, false))) {
    *harness_error = absl::StrCat("the reference of ", job.output.key, " is not r (float64) with its sigma");
    return false;
  }
  // A single table function of given numbers: kf is all it may be off by, there is no noise to add up.
  const bool table_function = job.output.kind == v1::Judge::MATH && job.output.judge->kf() > 0;
  const OracleView oracle{job.expected.data.data(), table_function ? nullptr : sigma->data.data(),
                          sigma->dtype, low == nullptr ? nullptr : low->data.data()};
  const PointwiseRule rule = RuleFor(job.actual.dtype, job.output.judge->kf());
  const Tally tally = TallyPointwise(job.actual, oracle, rule);
  tally.ToStats(stats);
  for (const int64_t index : tally.first) {
    const Sample s = SampleAt(job.actual.dtype, job.actual.data.data(), oracle, index);
    v1::Mismatch* m = stats->add_first();
    m->set_index(index);
    m->set_actual(s.y);
    m->set_expected(s.r);
    m->set_tolerance(PointAt(job, oracle, rule, index).tolerance);
    m->set_actual_text(ElementText(job.actual, index));
    m->set_expected_text(NumberText(s.r));
  }
  if (tally.mismatches > 0) Fail("P", Describe(job, oracle, rule, tally), stats);
  return true;
}

}  // namespace diopi::baselines
