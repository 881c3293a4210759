// Gate P over one output: the tally of pointwise.h turned into statistics and words.
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/judges.h"
#include "baselines/compare/pointwise.h"

namespace diopi::baselines {
namespace {

// What is certain enough about all elements to be said.
std::string Pattern(const HostTensor& actual, const Tally& tally) {
  if (tally.zeros == tally.elements) return "; the whole output is zero";
  if (tally.nan == tally.elements) return "; the whole output is NaN";
  if (tally.mismatches == tally.elements) return tally.elements > 1 ? "; every element" : "";
  if (tally.elements > 8 && tally.last == tally.elements - 1 &&
      tally.first[0] == tally.elements - tally.mismatches && tally.mismatches < tally.elements / 2) {
    return absl::StrCat("; just the last ", tally.mismatches);
  }
  const int64_t row = actual.shape.empty() ? 1 : actual.shape.back();
  if (row > 1 && tally.last / row == tally.first[0] / row && tally.mismatches > 1) {
    return absl::StrCat("; all in row ", tally.first[0] / row);
  }
  return "";
}

void AddFirst(Dtype dtype, const HostTensor& actual, const OracleView& oracle, const PointwiseRule& rule,
              const Tally& tally, v1::OutputStats* stats) {
  for (const int64_t i : tally.first) {
    const Sample sample = SampleAt(dtype, actual.data.data(), oracle, i);
    v1::Mismatch* first = stats->add_first();
    first->set_index(i);
    first->set_actual(sample.y);
    first->set_expected(sample.r);
    first->set_tolerance(Judge(rule, sample.y, sample.r, sample.sigma, sample.low).tolerance);
    first->set_actual_text(ElementText(actual, i));
    first->set_expected_text(absl::StrFormat("%.*g", dtype == v1::Dtype::float64 ? 17 : 9, sample.r));
  }
}

}  // namespace

void JudgePointwise(const Evidence& evidence, const JudgedOutput& output, const HostTensor& actual,
                    v1::OutputStats* stats) {
  const HostTensor& r = evidence.references.at(output.key);
  const HostTensor* sigma = Find(evidence.references, output.key + ".sigma");
  const HostTensor* low = Find(evidence.references, output.key + ".low");
  if (!CheckForm(actual, output.dtype, r.shape, stats)) return;
  OracleView oracle;
  oracle.r = r.data.data();
  if (sigma != nullptr) {
    oracle.sigma = sigma->data.data();
    oracle.sigma_dtype = sigma->dtype;
  }
  if (low != nullptr) oracle.low = low->data.data();
  const PointwiseRule rule = RuleFor(output.dtype, output.judge->kf());
  const Tally tally = TallyPointwise(actual, oracle, rule);
  tally.ToStats(stats);
  AddFirst(output.dtype, actual, oracle, rule, tally, stats);
  if (tally.mismatches == 0) return;
  const v1::Mismatch& first = stats->first(0);
  FailOutput("P",
             absl::StrCat(tally.mismatches, " of ", tally.elements, " elements out of tolerance, first at [",
                          first.index(), "]: got ", first.actual_text(), ", expected ", first.expected_text(),
                          absl::StrFormat(" (tolerance %.2g)", first.tolerance()), Pattern(actual, tally)),
             stats);
}

}  // namespace diopi::baselines
