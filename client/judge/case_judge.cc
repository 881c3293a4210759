// Judging goes from cheap to costly: a comparison decides nearly every case, and only a failed one is
// compared with real 16-bit arithmetic, with other contracts, and with replays that look for the cause. These
// steps may explain a failure, and only the 16-bit one may turn it into a pass. The reference library is
// opened when it is first needed and used by one thread at a time.
#include "client/judge/case_judge.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/compare_slices.h"
#include "baselines/compare/judging.h"
#include "baselines/compare/packed_references.h"
#include "baselines/generate/generate.h"
#include "baselines/generate/sliced_inputs.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"
#include "cases/fill/fill.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "cases/slices/slices.h"
#include "client/judge/verdict_builder.h"
#include "client/setup/paths.h"

namespace diopi::agent {
namespace {

using std::chrono::milliseconds;

baselines::DiagnoseOptions ReplayOptions(const CaseJudgeOptions& options) {
  baselines::DiagnoseOptions result = options.replay;
  result.library_path = options.reference_library;
  return result;
}

}  // namespace

CaseJudge::CaseJudge(const CaseJudgeOptions& options)
    : options_(options),
      diagnoser_(ReplayOptions(options)),
      native16_(Native16LibraryBeside(options.reference_library)) {}

std::optional<v1::Finding> CaseJudge::SkipReason(const v1::Case& c) const {
  if (options_.profile != nullptr) {
    std::optional<v1::Finding> skipped = options_.profile->SkipReason(c);
    if (skipped.has_value()) return skipped;
  }
  if (options_.adaptor == nullptr || cases::IsLibraryCheck(c)) return std::nullopt;
  const std::string why = profile::WhyNotAsked(c, options_.adaptor->For(c));
  if (why.empty()) return std::nullopt;
  return Found(v1::Finding::NOT_ADAPTABLE).Said(why);
}

// Makes the inputs of a large case, except those in `without`.
absl::StatusOr<TensorMap> CaseJudge::MakeInputs(const v1::Case& c, bool sliced, const BlockInputs& without) {
  if (c.producers().empty()) return FillInputs(c, without);
  if (sliced) {
    absl::StatusOr<TensorMap> inputs = FillInputs(c, without);
    if (!inputs.ok()) return inputs;
    absl::Status saved = WithReference([&](loader::InProcessLibrary& reference) {
      absl::StatusOr<TensorMap> tensors = baselines::MadeInputs(reference, c).AllSaved();
      if (tensors.ok()) inputs->merge(*tensors);
      return tensors.status();
    });
    if (!saved.ok()) return saved;
    return inputs;
  }
  TensorMap inputs;
  absl::Status produced = WithReference([&](loader::InProcessLibrary& reference) {
    absl::StatusOr<baselines::Baseline> baseline = baselines::GenerateInputs(reference, c);
    if (baseline.ok()) inputs = std::move(baseline->inputs);
    return baseline.status();
  });
  if (!produced.ok()) return produced;
  for (const auto& [key, blocks] : without) inputs.erase(key);
  return inputs;
}

absl::Status CaseJudge::Complete(const v1::Case& c, TensorMap* inputs) {
  ASSIGN_OR_RETURN(const BlockInputs blocks, OpenBlockInputs(c));
  for (const auto& [key, tensor] : blocks) {
    if (!inputs->contains(key)) (*inputs)[key] = tensor->Whole();
  }
  return absl::OkStatus();
}

absl::StatusOr<loader::CallOptions> CaseJudge::Prepare(const v1::Case& c, TensorMap* inputs, Making making) {
  loader::CallOptions call;
  call.calls = options_.calls;
  if (options_.adaptor != nullptr && !cases::IsLibraryCheck(c)) call.adaptor = options_.adaptor->For(c);
  if (slices::IsLarge(c)) {
    using Outputs = loader::CallOptions::Outputs;
    const bool sliced = slices::IsSliced(c);
    const bool sent = making == Making::kSent && call.adaptor.conversion().empty();
    if (sliced && sent) call.outputs = MayDiffer(c) ? Outputs::kInPlace : Outputs::kInPlaceUncompared;
    absl::StatusOr<BlockInputs> left = BlockInputs();
    if (sent) left = OpenBlockInputs(c);
    absl::StatusOr<TensorMap> made = left.ok() ? MakeInputs(c, sliced, *left) : left.status();
    if (!made.ok()) return absl::InternalError(absl::StrCat("no inputs: ", made.status().message()));
    *inputs = *std::move(made);
  }
  if (!c.producers().empty() && profile::NarrowsFloats(c, call.adaptor)) {
    const absl::Status saved = WithReference([&](loader::InProcessLibrary& reference) {
      return profile::HandOverSavedTensors(reference, c, call.adaptor, inputs);
    });
    if (!saved.ok()) {
      return absl::InternalError(
          absl::StrCat("no saved tensors for rounded inputs: ", std::string(saved.message())));
    }
  }
  if (options_.profile == nullptr) return call;
  const std::optional<double> seconds = options_.profile->TimeoutOf(c);
  if (seconds.has_value()) {
    call.timeout = std::max(milliseconds(static_cast<int64_t>(*seconds * 1000)), milliseconds(1));
  }
  return call;
}

v1::Verdict CaseJudge::JudgeNumbers(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                                    const TensorMap& actual) {
  v1::Verdict verdict = baselines::CompareCase(c, inputs, references, actual, options_.compare);
  if (verdict.outcome() != v1::OUTCOME_FAIL) return verdict;
  // An overflow may be allowed, and its cause known, where real 16-bit arithmetic overflows, too.
  const TensorMap with_native16 = native16_.AddTo(c, inputs, references);
  if (with_native16.size() > references.size()) {
    verdict = baselines::CompareCase(c, inputs, with_native16, actual, options_.compare);
    if (verdict.outcome() != v1::OUTCOME_FAIL) return verdict;
  }
  if (!options_.diagnose) return verdict;
  baselines::AddWouldPassUnder(c, inputs, with_native16, actual, options_.compare, &verdict);
  // Zeros that some arithmetic gives were computed.
  if (!verdict.would_pass_under().empty() && verdict.cause().code() == v1::Finding::NEVER_COMPUTED) {
    verdict.clear_cause();
    verdict.clear_cause_confidence();
  }
  const baselines::Cause cause = diagnoser_.LikelyCause({c, inputs, references, actual, options_.compare});
  // A replay explains every element; a statement about the wrong ones alone is no better, however certain,
  // except where it says that nothing was computed.
  const v1::Finding::Code stated = verdict.cause().code();
  const bool untouched = stated == v1::Finding::OPERAND_UNCHANGED || stated == v1::Finding::NEVER_WRITTEN;
  if (cause.found.has_value() && (!untouched || cause.confidence >= verdict.cause_confidence()))
    baselines::SetCause(*cause.found, cause.confidence, &verdict);
  // A contract that the user could declare is named even where the cause is uncertain.
  const v1::Finding::Code code = verdict.cause().code();
  if (code != v1::Finding::DECLARE && code != v1::Finding::CONSISTENT_WITH)
    baselines::ReportWouldPassUnder(&verdict);
  Describe(&verdict);
  return verdict;
}

bool CaseJudge::NeedsAnotherCall(const v1::Verdict& verdict, const loader::CallOutcome& outcome,
                                 loader::CallOptions* options) {
  using Outputs = loader::CallOptions::Outputs;
  const bool unexplained = options->outputs == Outputs::kInPlaceUncompared &&
                           verdict.outcome() == v1::OUTCOME_NONDETERMINISTIC &&
                           outcome.reply.differs().empty();
  if (unexplained) options->outputs = Outputs::kInPlace;
  return unexplained;
}

baselines::SlicePlaces CaseJudge::PlacesOf(const v1::Case& c) {
  return slices::ComparedPlaces(c, slices::BuiltinSlices(c.function()));
}

// Reads outputs and inputs in the worker's memory. Makes inputs that the agent cannot see there, if they are
// needed.
v1::Verdict CaseJudge::JudgeSlices(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                                   const loader::CallOutcome& outcome,
                                   const baselines::SlicePlaces& known) const {
  TensorViews actual = ViewsOf(outcome.outputs);
  actual.insert(outcome.output_views.begin(), outcome.output_views.end());
  TensorViews given = ViewsOf(inputs);
  given.insert(outcome.input_views.begin(), outcome.input_views.end());
  const baselines::SlicePlaces here = known.empty() ? PlacesOf(c) : baselines::SlicePlaces();
  const baselines::SlicePlaces& places = known.empty() ? here : known;
  TensorMap made;
  absl::StatusOr<BlockInputs> opened = BlockInputs();
  if (outcome.made_inputs == nullptr) opened = OpenBlockInputs(c);
  if (!opened.ok()) return HarnessError(c, "no_inputs", std::string(opened.status().message()));
  for (const auto& [key, tensor] : outcome.made_inputs == nullptr ? *opened : *outcome.made_inputs) {
    if (given.contains(key)) continue;
    const auto compared = places.find(key);
    if (baselines::NeedsWholeInputs(c)) {
      made[key] = tensor->Whole();
    } else if (compared != places.end()) {
      made[key] = slices::TakePlaces(*tensor, {{}, compared->second});
    }
  }
  for (const auto& [key, tensor] : made) given.emplace(key, tensor);
  return baselines::CompareSlices(c, places, given, references, actual, options_.compare);
}

absl::Status CaseJudge::WithReference(const std::function<absl::Status(loader::InProcessLibrary&)>& use) {
  const std::lock_guard lock(mutex_);
  if (reference_ == nullptr) {
    ASSIGN_OR_RETURN(reference_, loader::InProcessLibrary::Open(options_.reference_library));
  }
  return use(*reference_);
}

v1::Verdict CaseJudge::JudgeConverted(const v1::CaseAdaptor& adaptor, bool sliced,
                                      profile::JudgedCase* converted) {
  v1::Verdict verdict;
  if (!profile::LeaveOutWhatDoesNotFit(adaptor, converted)) {
    verdict.set_outcome(v1::OUTCOME_SKIPPED);
  } else if (sliced) {
    verdict = baselines::CompareSlices(converted->c, PlacesOf(converted->c), converted->inputs,
                                       converted->references, converted->actual, options_.compare);
  } else {
    verdict = JudgeNumbers(converted->c, converted->inputs, converted->references, converted->actual);
  }
  verdict.mutable_findings()->Add(converted->not_asked.begin(), converted->not_asked.end());
  return verdict;
}

v1::Verdict CaseJudge::Judge(const v1::Case& c, const TensorMap& inputs, const TensorMap& stored,
                             const loader::CallOutcome& outcome, const v1::CaseAdaptor& adaptor,
                             std::optional<profile::JudgedCase>* converted_case,
                             const baselines::SlicePlaces& places) {
  const bool sliced = slices::IsSliced(c);
  const TensorMap unpacked = sliced ? baselines::UnpackReferences(stored) : TensorMap();
  const TensorMap& references = sliced ? unpacked : stored;
  const v1::Case judged = baselines::WithoutJudging(c, outcome.reply.unwritten());
  // `places` may be those of judges that do not count.
  static const baselines::SlicePlaces kUnknown;
  const baselines::SlicePlaces& known = outcome.reply.unwritten().empty() ? places : kUnknown;
  std::optional<profile::JudgedCase> converted;
  const auto judge = [&](const TensorMap& actual) {
    if (adaptor.conversion().empty()) {
      return sliced ? JudgeSlices(judged, inputs, references, outcome, known)
                    : JudgeNumbers(judged, inputs, references, actual);
    }
    converted = profile::AsConverted(judged, inputs, references, actual, adaptor);
    absl::Status recomputed;
    if (profile::NarrowsFloats(judged, adaptor)) {
      recomputed = WithReference([&converted](loader::InProcessLibrary& reference) {
        return profile::RecomputeReferences(reference, &*converted);
      });
    }
    if (recomputed.ok()) return JudgeConverted(adaptor, sliced, &*converted);
    return HarnessError(judged, "no_reference",
                        absl::StrCat("no reference for rounded inputs: ", recomputed.message()));
  };
  v1::Verdict verdict = BuildVerdict(c, outcome, judge, inputs);
  if (options_.profile != nullptr) {
    const bool adapted = converted.has_value();
    const v1::Case& called = adapted ? converted->c : c;
    const TensorMap& outputs = adapted ? converted->actual : outcome.outputs;
    TensorMap compared;
    const bool take = sliced && verdict.outcome() == v1::OUTCOME_FAIL;
    if (take) {
      TensorViews views = ViewsOf(outputs);
      if (!adapted) views.insert(outcome.output_views.begin(), outcome.output_views.end());
      compared = baselines::TakeCompared(called, PlacesOf(called), references, views);
    }
    options_.profile->Waive(called, adapted ? converted->references : references, take ? compared : outputs,
                            &verdict);
  }
  if (!adaptor.conversion().empty()) MarkAdapted(outcome, &verdict);
  if (converted_case != nullptr) *converted_case = std::move(converted);
  return verdict;
}

}  // namespace diopi::agent
