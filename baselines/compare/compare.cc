#include "baselines/compare/compare.h"

#include "absl/strings/str_cat.h"
#include "baselines/compare/judges.h"

namespace diopi::baselines {
namespace {

void JudgeOne(const Evidence& evidence, const JudgedOutput& output, const HostTensor& actual,
              v1::OutputStats* stats) {
  const HostTensor& reference = evidence.references.at(output.key);
  switch (output.kind) {
    case v1::Judge::MATH:
    case v1::Judge::ACCUMULATION:
    case v1::Judge::COMPOSITION:
      return JudgePointwise(evidence, output, actual, stats);
    case v1::Judge::INDEX_OF:
      return JudgeIndexOf(evidence, output, actual, stats);
    case v1::Judge::UNORDERED:
      return JudgeUnordered(actual, reference, stats);
    case v1::Judge::RANDOM:
      return JudgeRandom(evidence, output, actual, stats);
    default:
      return JudgeExact(actual, reference, stats);
  }
}

v1::OutputStats NewStats(const JudgedOutput& output, const HostTensor& actual) {
  v1::OutputStats stats;
  stats.set_key(output.key);
  stats.set_dtype(actual.dtype);
  stats.mutable_shape()->Assign(actual.shape.begin(), actual.shape.end());
  stats.set_ok(true);
  return stats;
}

void AddReason(const std::string& text, v1::Verdict* verdict) {
  verdict->set_reason(verdict->reason().empty() ? text : absl::StrCat(verdict->reason(), "; ", text));
}

}  // namespace

v1::Verdict CompareCase(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual) {
  v1::Verdict verdict;
  verdict.set_case_id(c.id());
  verdict.set_case_hash(c.hash());
  verdict.set_function(c.function());
  verdict.set_operator_(c.operator_());
  verdict.set_dtype(c.dtype());
  verdict.set_outcome(v1::OUTCOME_PASS);
  const Evidence evidence{c, inputs, references, actual};
  for (const JudgedOutput& output : JudgedOutputs(c)) {
    if (Find(references, output.key) == nullptr) {
      verdict.set_outcome(v1::OUTCOME_HARNESS_ERROR);
      verdict.set_reason(absl::StrCat("the baseline has no reference for output '", output.key, "'"));
      return verdict;
    }
    const HostTensor* tensor = Find(actual, output.key);
    if (tensor == nullptr) {
      verdict.set_outcome(v1::OUTCOME_FAIL);
      AddReason(absl::StrCat(output.key, ": the call gave no such output"), &verdict);
      continue;
    }
    v1::OutputStats stats = NewStats(output, *tensor);
    JudgeOne(evidence, output, *tensor, &stats);
    if (!stats.ok()) {
      verdict.set_outcome(v1::OUTCOME_FAIL);
      AddReason(absl::StrCat(output.key, ": ", stats.detail()), &verdict);
    }
    *verdict.add_outputs() = std::move(stats);
  }
  return verdict;
}

}  // namespace diopi::baselines
