#include "client/agent/case_judge.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "baselines/compare/contract.h"
#include "cases/core/library_checks.h"
#include "client/agent/paths.h"
#include "client/agent/verdict_builder.h"

namespace diopi::agent {
namespace {

using std::chrono::milliseconds;

baselines::DiagnoseOptions ReplayOptions(const CaseJudgeOptions& options) {
  baselines::DiagnoseOptions result = options.replay;
  result.library_path = options.reference_library;
  return result;
}

}  // namespace

struct CaseJudge::Called {
  const v1::Case& c;
  const TensorMap& inputs;
  const TensorMap& references;
  const loader::CallOutcome& outcome;
  const v1::CaseAdaptor& adaptor;
};

CaseJudge::CaseJudge(const CaseJudgeOptions& options)
    : options_(options),
      diagnoser_(ReplayOptions(options)),
      native16_(Native16LibraryBeside(options.reference_library)) {}

std::optional<std::string> CaseJudge::SkipReason(const v1::Case& c) const {
  return options_.profile == nullptr ? std::nullopt : options_.profile->SkipReason(c);
}

loader::CallOptions CaseJudge::CallOptionsOf(const v1::Case& c) const {
  loader::CallOptions call;
  call.calls = options_.calls;
  if (options_.adaptor != nullptr && !cases::IsLibraryCheck(c)) call.adaptor = options_.adaptor->For(c);
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
  // An overflow may be allowed, and its cause known, where real 16-bit arithmetic has it, too.
  const TensorMap with_native16 = native16_.AddTo(c, inputs, references);
  if (with_native16.size() > references.size()) {
    verdict = baselines::CompareCase(c, inputs, with_native16, actual, options_.compare);
    if (verdict.outcome() != v1::OUTCOME_FAIL) return verdict;
  }
  if (!options_.diagnose) return verdict;
  baselines::AddWouldPassUnder(c, inputs, with_native16, actual, options_.compare, &verdict);
  const baselines::Cause cause = diagnoser_.LikelyCause({c, inputs, references, actual, options_.compare});
  // The more certain one; what was replayed says more than what was only looked at.
  if (!cause.text.empty() && cause.confidence >= verdict.cause_confidence()) {
    verdict.set_likely_cause(cause.text);
    verdict.set_cause_confidence(cause.confidence);
  }
  // Arithmetic that may be declared comes before the figures; the other causes are in them, or follow.
  const bool declarable = absl::StrContains(verdict.likely_cause(), baselines::kDeclare);
  if (declarable) {
    verdict.set_reason(absl::StrCat(verdict.likely_cause(), ": ", verdict.reason()));
  } else if (verdict.likely_cause() == cause.text && !cause.text.empty()) {
    verdict.set_reason(absl::StrCat(verdict.reason(), "; ", cause.text));
  }
  return verdict;
}

// Inputs were rounded on their way to the library.
absl::Status CaseJudge::Recompute(const v1::CaseAdaptor& adaptor, profile::JudgedCase* judged) {
  const bool exact = std::any_of(judged->c.judges().begin(), judged->c.judges().end(),
                                 [](const v1::Judge& judge) { return judge.kind() == v1::Judge::EXACT; });
  if (!exact) return absl::OkStatus();
  const std::lock_guard lock(mutex_);
  if (reference_ == nullptr) {
    absl::StatusOr<std::unique_ptr<loader::InProcessLibrary>> opened =
        loader::InProcessLibrary::Open(options_.reference_library);
    if (!opened.ok()) return opened.status();
    reference_ = *std::move(opened);
  }
  return profile::RecomputeExact(*reference_, adaptor, judged);
}

v1::Verdict CaseJudge::JudgeOutputs(const Called& called, const TensorMap& actual) {
  if (called.adaptor.conversion().empty()) {
    return JudgeNumbers(called.c, called.inputs, called.references, actual);
  }
  profile::JudgedCase handed =
      profile::AsHandedOver(called.c, called.inputs, called.references, actual, called.adaptor);
  const absl::Status recomputed =
      called.outcome.reply.rounded().empty() ? absl::OkStatus() : Recompute(called.adaptor, &handed);
  if (!recomputed.ok()) {
    v1::Verdict verdict;
    verdict.set_outcome(v1::OUTCOME_HARNESS_ERROR);
    verdict.set_reason(absl::StrCat("no reference for rounded inputs: ", recomputed.message()));
    return verdict;
  }
  return JudgeNumbers(handed.c, handed.inputs, handed.references, handed.actual);
}

v1::Verdict CaseJudge::Judge(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                             const loader::CallOutcome& outcome, const v1::CaseAdaptor& adaptor) {
  const Called called = {c, inputs, references, outcome, adaptor};
  v1::Verdict verdict = BuildVerdict(
      c, outcome, [this, &called](const TensorMap& actual) { return JudgeOutputs(called, actual); });
  if (options_.profile != nullptr) options_.profile->Waive(c, references, outcome.outputs, &verdict);
  if (!adaptor.conversion().empty()) MarkAdapted(outcome, &verdict);
  return verdict;
}

}  // namespace diopi::agent
