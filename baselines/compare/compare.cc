// A case passes when all its outputs pass. Each output is judged by the gates of its kind (JudgeOne) after
// dtype and shape, with the references stored under its key. A case that fails is judged again from the start
// by each other reading that has references of its own, and passes when all outputs pass by one of them. A
// NaN that only SPREAD_NAN accepts is replaced by the reference's value before the gates see it; before all
// that, signs that OPPOSITE_SIGNS leaves free are set to the reference's.
#include "baselines/compare/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "absl/strings/str_join.h"
#include "baselines/compare/gates.h"
#include "baselines/compare/readings.h"
#include "cases/base/hash.h"
#include "cases/base/output_hash.h"
#include "cases/core/reference_key.h"
#include "cases/findings/describe.h"

namespace diopi::baselines {
namespace {

using F = v1::Finding;

bool JudgeOne(const Job& job, v1::OutputStats* stats, Findings* findings) {
  // Before any number.
  if (const auto wrong = WrongForm(job.actual, job.output.dtype, job.expected.shape); wrong.has_value()) {
    Fail("S", {*wrong}, stats, findings);
    return true;
  }
  switch (job.output.kind) {
    case v1::Judge::MATH:
    case v1::Judge::ACCUMULATION:
    case v1::Judge::COMPOSITION:
      return JudgePointwise(job, stats, findings);
    case v1::Judge::INDEX_OF:
      return JudgePicks(job, stats, findings);
    case v1::Judge::UNORDERED:
      return JudgeUnordered(job, stats, findings);
    case v1::Judge::RANDOM:
      return JudgeRandom(job, stats, findings);
    default:
      return JudgeExact(job, stats, findings);
  }
}

struct Figure {
  double (v1::OutputStats::*get)() const;
  void (v1::OutputStats::*set)(double);
};
#define DIOPI_FIGURE(name)                               \
  Figure {                                               \
    &v1::OutputStats::name, &v1::OutputStats::set_##name \
  }
constexpr Figure kFigures[] = {
    DIOPI_FIGURE(max_ulp),
    DIOPI_FIGURE(max_z),
    DIOPI_FIGURE(rms_z),
    DIOPI_FIGURE(max_abs),
    DIOPI_FIGURE(max_rel),
    DIOPI_FIGURE(rmse),
    DIOPI_FIGURE(rmse_ideal),
    DIOPI_FIGURE(bias),
    DIOPI_FIGURE(radial_bias),
    DIOPI_FIGURE(zero_fraction),
    DIOPI_FIGURE(public_mismatch_ratio),
    DIOPI_FIGURE(rms_z_device),
    DIOPI_FIGURE(rmse_device),
    DIOPI_FIGURE(rmse_ratio),
};
#undef DIOPI_FIGURE

// Until a judge has measured it.
void ClearFigures(v1::OutputStats* stats) {
  for (const Figure& figure : kFigures) (stats->*figure.set)(std::numeric_limits<double>::quiet_NaN());
}

// Figures keep 21 significant bits: a database stores half the bytes, and nobody reads more than six digits.
// Integers below 2^21 stay exact.
void RoundFigures(v1::OutputStats* stats) {
  constexpr uint64_t kDropped = (uint64_t{1} << 32) - 1;
  for (const Figure& figure : kFigures) {
    const double exact = (stats->*figure.get)();
    const double rounded = std::bit_cast<double>((std::bit_cast<uint64_t>(exact) + kDropped / 2) & ~kDropped);
    if (std::isfinite(exact) && std::isfinite(rounded)) (stats->*figure.set)(rounded);
  }
}

// Says that a reading was needed to pass, with the reason that the operator's file states.
void ReportReading(const v1::Reading& reading, v1::Verdict* verdict) {
  verdict->add_readings(ReadingName(reading));
  *verdict->add_findings() = Found(F::ACCEPTED_AS).Word(ReadingName(reading)).Said(reading.reason());
}

// Like JudgeOne, but a NaN that only SPREAD_NAN accepts counts as the reference's value. Adds the number of
// such NaNs to `spread`.
bool JudgeAccepted(const Job& job, v1::OutputStats* stats, Findings* findings, int64_t* spread) {
  const HostTensor* mask = Find(job.references, ReferenceKey(job.output.key, ReferencePart::kSpreadNan));
  if (mask == nullptr || FindReading(job.c, v1::Reading::SPREAD_NAN) == nullptr) {
    return JudgeOne(job, stats, findings);
  }
  HostTensor taken = job.actual;
  const int64_t nan = TakeSpreadNan(job.expected, *mask, &taken);
  const Job rest{job.c,        job.inputs, job.references, job.all_actual, job.output,
                 job.expected, taken,      job.contracts,  job.explain};
  if (!JudgeOne(rest, stats, findings)) return false;
  stats->set_nan_actual(stats->nan_actual() + nan);
  *spread += nan;
  return true;
}

bool IsUnchanged(const std::string& output, const TensorMap& inputs, const HostTensor& actual) {
  const HostTensor* before = Find(inputs, output);
  return before != nullptr && !before->data.empty() && before->data == actual.data;
}

// An in-place operand with the same bytes as before the call. Where so are all outputs, and the operand
// should have changed in some places, no other cause explains a failure as well.
void ReportUnchanged(const Job& job, const std::vector<JudgedOutput>& outputs, const v1::OutputStats& stats,
                     Findings* findings) {
  constexpr int64_t kLeastUnchanged = 4;
  if (!IsUnchanged(job.output.key, job.inputs, job.actual)) return;
  const bool nothing = stats.mismatches() >= kLeastUnchanged &&
                       std::all_of(outputs.begin(), outputs.end(), [&](const JudgedOutput& output) {
                         const HostTensor* actual = Find(job.all_actual, output.key);
                         return actual != nullptr && IsUnchanged(output.key, job.inputs, *actual);
                       });
  findings->found.push_back(Found(F::OPERAND_UNCHANGED).Exact(nothing));
  if (!nothing) return;
  findings->cause = findings->found.back();
  findings->confidence = 1;
}

v1::Verdict CompareWith(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual, const CompareOptions& options) {
  v1::Verdict verdict;
  verdict.set_case_id(c.id());
  verdict.set_case_hash(c.hash());
  verdict.set_function(c.function());
  verdict.set_operator_(c.operator_());
  verdict.set_dtype(c.dtype());
  verdict.set_outcome(v1::OUTCOME_PASS);
  Contracts widened;
  int64_t spread = 0;
  const std::vector<JudgedOutput> outputs = JudgedOutputs(c);
  for (const JudgedOutput& output : outputs) {
    const HostTensor* expected = Find(references, output.key);
    if (expected == nullptr) {
      SetHarnessError(output.key, "the baseline has no reference for it", &verdict);
      return verdict;
    }
    const HostTensor* tensor = Find(actual, output.key);
    if (tensor == nullptr) {
      FailCase(output.key, {Found(F::OUTPUT_MISSING)}, &verdict);
      continue;
    }
    HostTensor parts;
    const HostTensor& judged = AsJudged(output, *tensor, &parts);
    v1::OutputStats stats = NewStats(output, judged);
    Findings findings;
    const Job job{
        c, inputs, references, actual, output, *expected, judged, options.contracts.For(c), options.explain};
    if (!JudgeAccepted(job, &stats, &findings, &spread)) {
      SetHarnessError(output.key, findings.harness_error, &verdict);
      return verdict;
    }
    if (!stats.ok()) {
      ReportUnchanged(job, outputs, stats, &findings);
      FailCase(output.key, findings.found, &verdict);
      if (findings.cause.has_value() && findings.confidence > verdict.cause_confidence())
        SetCause(*findings.cause, findings.confidence, &verdict);
    }
    widened = Union(widened, findings.widened);
    *verdict.add_outputs() = std::move(stats);
  }
  for (std::string& name : ContractNames(widened)) verdict.add_contracts(std::move(name));
  if (verdict.outcome() == v1::OUTCOME_PASS && spread > 0) {
    ReportReading(*FindReading(c, v1::Reading::SPREAD_NAN), &verdict);
  }
  return verdict;
}

v1::Verdict CompareByEachReading(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                                 const TensorMap& actual, const CompareOptions& options) {
  v1::Verdict verdict = CompareWith(c, inputs, references, actual, options);
  if (verdict.outcome() != v1::OUTCOME_FAIL) return verdict;
  for (const v1::Reading& reading : c.readings()) {
    const TensorMap other = ReferencesOf(reading, references);
    if (other.empty()) continue;
    v1::Verdict second = CompareWith(c, inputs, other, actual, options);
    if (second.outcome() != v1::OUTCOME_PASS) continue;
    ReportReading(reading, &second);
    return second;
  }
  return verdict;
}

// After signs that OPPOSITE_SIGNS leaves free have been set to the reference's.
v1::Verdict CompareWithSigns(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                             const TensorMap& actual, const CompareOptions& options) {
  const v1::Reading* signs = FindReading(c, v1::Reading::OPPOSITE_SIGNS);
  if (signs == nullptr) return CompareByEachReading(c, inputs, references, actual, options);
  TensorMap known = references;
  TensorMap aligned = actual;
  TakeOppositeSigns(*signs, references, ReferencePart::kDevice, &known);
  const int64_t changed = TakeOppositeSigns(*signs, references, ReferencePart::kValue, &aligned);
  v1::Verdict verdict = CompareByEachReading(c, inputs, known, aligned, options);
  if (changed == 0) return verdict;
  for (v1::OutputStats& stats : *verdict.mutable_outputs()) {
    stats.set_digest(Hex64(HashOutput(actual.at(stats.key()).data)));
  }
  if (verdict.outcome() == v1::OUTCOME_PASS) ReportReading(*signs, &verdict);
  if (verdict.outcome() == v1::OUTCOME_FAIL) *verdict.add_findings() = Found(F::SIGNS_SET).Count(changed);
  return verdict;
}

// Whether the errors of the outputs that fail are as large as such an arithmetic makes them: about 1 in units
// of its noise. A bug that merely stays below its bound may have any size.
bool HasTypicalSize(const Contracts& one, const v1::Verdict& plain, const v1::Verdict& under) {
  // fastconv allows the largest tile's errors everywhere; those of most tiles are any amount smaller.
  const double least = one.fastconv ? 0 : 0.1;
  constexpr double kMostRms = 3;
  for (int i = 0; i < plain.outputs_size(); ++i) {
    const double rms = under.outputs(i).rms_z();
    if (!plain.outputs(i).ok() && (rms < least || rms > kMostRms)) return false;
  }
  return true;
}

}  // namespace

v1::OutputStats NewStats(const JudgedOutput& output, const TensorView& actual) {
  v1::OutputStats stats;
  stats.set_key(output.key);
  stats.set_dtype(actual.dtype);
  stats.mutable_shape()->Assign(actual.shape.begin(), actual.shape.end());
  stats.set_ok(true);
  stats.set_argmax(-1);
  ClearFigures(&stats);
  stats.set_digest(Hex64(HashOutput(actual.data)));
  return stats;
}

v1::Verdict CompareCase(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual, const CompareOptions& options) {
  v1::Verdict verdict = CompareWithSigns(c, inputs, references, actual, options);
  for (v1::OutputStats& stats : *verdict.mutable_outputs()) RoundFigures(&stats);
  Describe(&verdict);
  return verdict;
}

bool Concerns(const Contracts& one, const Contracts& declared, const v1::Case& c) {
  const std::vector<JudgedOutput> outputs = JudgedOutputs(c);
  return std::any_of(outputs.begin(), outputs.end(), [&](const JudgedOutput& output) {
    const auto arithmetic = output.judge->arithmetic();
    return (HasNoise(output.kind) || (output.judge->computed() && one.native16)) &&
           Allowed(Union(declared, one), arithmetic) != Allowed(declared, arithmetic);
  });
}

void AddWouldPassUnder(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                       const TensorMap& actual, const CompareOptions& options, v1::Verdict* verdict) {
  if (verdict->outcome() != v1::OUTCOME_FAIL) return;
  const Contracts declared = options.contracts.For(c);
  for (const Contracts& one : SingleContracts()) {
    if (!Concerns(one, declared, c)) continue;
    const v1::Verdict under =
        CompareCase(c, inputs, references, actual, {.contracts = Union(declared, one), .explain = false});
    if (under.outcome() == v1::OUTCOME_PASS && HasTypicalSize(one, *verdict, under))
      verdict->add_would_pass_under(ContractNames(one).front());
  }
}

void ReportWouldPassUnder(v1::Verdict* verdict) {
  if (verdict->would_pass_under().empty()) return;
  *verdict->add_findings() = Found(F::PASSES_UNDER).Word(absl::StrJoin(verdict->would_pass_under(), " or "));
}

void SetCause(const v1::Finding& cause, double confidence, v1::Verdict* verdict) {
  *verdict->mutable_cause() = cause;
  verdict->set_cause_confidence(confidence);
  verdict->set_declarable(cause.code() == F::DECLARE ? cause.word() : "");
}

}  // namespace diopi::baselines
