// The first fact that applies decides the outcome, in the order listed in the header: the fate of the
// process, then the call's return value, then memory findings, and only then the numbers. A wrong number in a
// call that also wrote out of bounds says little, so the numbers are not judged in that case.
#include "client/judge/verdict_builder.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/sampled_tokens.h"
#include "cases/base/dtype.h"
#include "cases/base/hash.h"
#include "cases/base/output_hash.h"
#include "cases/base/tensor.h"
#include "cases/core/judges.h"
#include "cases/core/library_checks.h"
#include "cases/core/piece_case.h"
#include "client/judge/error_text.h"
#include "reports/document/escape.h"
#include "reports/model/outcome.h"

namespace diopi::agent {
namespace {

using Kind = loader::CallOutcome::Kind;

// diopiError_t, spelled as the ABI does.
constexpr std::pair<int32_t, const char*> kErrors[] = {
    {0, "diopiSuccess"},
    {1, "diopiErrorOccurred"},
    {2, "diopiNotInited"},
    {3, "diopiNoRegisteredStreamCreateFunction"},
    {4, "diopiNoRegisteredStreamDestoryFunction"},
    {5, "diopiNoRegisteredStreamSyncFunction"},
    {6, "diopiNoRegisteredDeviceMemoryMallocFunction"},
    {7, "diopiNoRegisteredDeviceMemoryFreeFunction"},
    {8, "diopiNoRegisteredDevice2DdeviceMemoryCopyFunction"},
    {9, "diopiNoRegisteredDevice2HostMemoryCopyFunction"},
    {10, "diopiNoRegisteredHost2DeviceMemoryCopyFunction"},
    {11, "diopiNoRegisteredGetLastErrorFunction"},
    {12, "diopi5DNotSupported"},
    {13, "diopiNoImplement"},
    {14, "diopiForceFallbackToCPU"},
    {1000, "diopiDtypeNotSupported"},
};

constexpr int32_t kSuccess = 0;
constexpr int32_t kNoImplement = 13;
constexpr int32_t kForceFallback = 14;
constexpr int32_t kDtypeNotSupported = 1000;

std::string WithText(std::string reason, const std::string& text) {
  return text.empty() ? std::move(reason) : absl::StrCat(reason, ": ", text);
}

// The worker's parent's text on a dead process, which names signal and function; `otherwise` when there is
// none.
std::string Said(const loader::CallOutcome& outcome, const std::string& otherwise) {
  return outcome.text.empty() ? otherwise : outcome.text;
}

// The verdict for a worker that did not answer.
v1::Verdict ProcessVerdict(const v1::Case& c, const loader::CallOutcome& outcome) {
  switch (outcome.kind) {
    case Kind::kCrashed: {
      v1::Verdict verdict = MakeVerdict(
          c, v1::OUTCOME_CRASH, Said(outcome, absl::StrCat(outcome.signal_name, " in ", c.function())));
      verdict.set_signal(outcome.signal_name);
      verdict.set_backtrace(reports::ToUtf8(outcome.backtrace));
      return verdict;
    }
    case Kind::kExited: {
      const std::string reason = absl::StrCat("the library ended the process with exit status ",
                                              outcome.exit_status, " in ", c.function());
      v1::Verdict verdict = MakeVerdict(c, v1::OUTCOME_CRASH, Said(outcome, reason));
      verdict.set_backtrace(reports::ToUtf8(outcome.backtrace));
      return verdict;
    }
    case Kind::kTimedOut: {
      v1::Verdict verdict =
          MakeVerdict(c, v1::OUTCOME_TIMEOUT, Said(outcome, absl::StrCat(c.function(), " did not return")));
      verdict.set_backtrace(reports::ToUtf8(outcome.backtrace));
      return verdict;
    }
    case Kind::kNotAnAnswer:
      return MakeVerdict(c, v1::OUTCOME_CRASH,
                         absl::StrCat("the worker's answer was not one: ", outcome.text));
    case Kind::kLost:
    case Kind::kReplied:
      break;
  }
  return MakeVerdict(c, v1::OUTCOME_HARNESS_ERROR, WithText("the worker was lost", outcome.text));
}

// The verdict for a call that did not succeed: any reply but RETURNED with success.
v1::Verdict ErrorVerdict(const v1::Case& c, const v1::WorkerReply& reply) {
  const std::string& function = c.function();
  switch (reply.status()) {
    case v1::WorkerReply::SYMBOL_ABSENT:
      return MakeVerdict(c, v1::OUTCOME_NOT_IMPLEMENTED,
                         absl::StrCat("the library does not export ", function));
    case v1::WorkerReply::EXCEPTION:
      return MakeVerdict(c, v1::OUTCOME_ERROR,
                         WithText(absl::StrCat(function, " threw a C++ exception"), reply.text()));
    case v1::WorkerReply::BAD_CASE:
      return MakeVerdict(c, v1::OUTCOME_HARNESS_ERROR,
                         WithText("the case could not be called", reply.text()));
    case v1::WorkerReply::SYNC_FAILED:
      return MakeVerdict(c, v1::OUTCOME_ERROR, WithText("synchronising the stream failed", reply.text()));
    default:
      break;
  }
  const std::string returned = absl::StrCat(function, " returned ", ErrorName(reply.error_code()));
  v1::Outcome outcome = v1::OUTCOME_ERROR;
  if (reply.error_code() == kNoImplement || reply.error_code() == kForceFallback) {
    outcome = v1::OUTCOME_NOT_IMPLEMENTED;
  } else if (reply.error_code() == kDtypeNotSupported) {
    outcome = v1::OUTCOME_UNSUPPORTED_DTYPE;
  }
  return MakeVerdict(c, outcome, WithText(returned, reply.text()));
}

bool TakesScratch(const v1::Case& c) {
  return std::any_of(c.args().begin(), c.args().end(),
                     [](const v1::Argument& arg) { return arg.scratch() != v1::Dtype::unsupported; });
}

std::string FindingText(const v1::MemoryFinding& finding) {
  if (!finding.text().empty()) return finding.text();
  switch (finding.kind()) {
    case v1::MemoryFinding::OUT_OF_BOUNDS:
      return absl::StrCat("wrote ", finding.count(), " bytes outside ", finding.key());
    case v1::MemoryFinding::CHANGED_INPUT:
      return absl::StrCat("changed ", finding.count(), " elements of the input ", finding.key());
    case v1::MemoryFinding::UNWRITTEN:
      return absl::StrCat("left ", finding.count(), " elements of ", finding.key(), " unwritten");
    case v1::MemoryFinding::LEAK:
      return absl::StrCat("leaks ", finding.count(), " bytes a call");
    case v1::MemoryFinding::WROTE_GAP:
      return absl::StrCat("wrote between the elements of ", finding.key());
    case v1::MemoryFinding::CHANGED_LAYOUT:
      return absl::StrCat("overwrote the shape array of ", finding.key());
    default:
      return absl::StrCat("memory finding on ", finding.key());
  }
}

// Whether the call must draw a random number: there is something to draw, and chance decides it.
bool MustDraw(const v1::Case& c, const TensorMap& inputs, const TensorMap& outputs) {
  if (baselines::IsTokenSampling(c)) return baselines::LeavesTokensToChance(c, inputs);
  // Attention's: the caller advances it, because the backward must find the state that the forward had.
  if (cases::FindArgument(c, "gen") != nullptr) return false;
  const v1::Argument* train = cases::FindArgument(c, "train");
  const v1::Argument* p = cases::FindArgument(c, "p");
  const bool chance = (train == nullptr || train->b()) && (p == nullptr || (p->f() > 0 && p->f() < 1));
  return cases::IsRandom(c) && chance && std::any_of(outputs.begin(), outputs.end(), [](const auto& output) {
           return NumElements(output.second.shape) > 0;
         });
}

// The last call's outputs were judged; empty: they are what the first call left, as far as their hashes are
// known.
std::string ChangedSince(const v1::Case& c, const loader::CallOutcome& outcome, const v1::Verdict& judged) {
  for (const v1::OutputStats& stats : judged.outputs()) {
    const auto hash = outcome.hashes.find(stats.key());
    if (hash == outcome.hashes.end() || stats.digest().empty() || stats.digest() == Hex64(hash->second))
      continue;
    // What an adaptor converted is judged in other bytes than the library's.
    const auto output = outcome.outputs.find(stats.key());
    if (output != outcome.outputs.end() && HashOutput(output->second.data) == hash->second) continue;
    return absl::StrCat(stats.key(), " is no longer what the first call of ", c.function(),
                        " left there: a further call gave another result, or a thread of the library was "
                        "still writing");
  }
  return "";
}

v1::Verdict NumbersVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge,
                           const TensorMap& inputs) {
  const v1::WorkerReply& reply = outcome.reply;
  v1::Verdict judged = judge(outcome.outputs);
  v1::Verdict verdict = MakeVerdict(c, judged.outcome(), judged.reason());
  verdict.mutable_outputs()->Swap(judged.mutable_outputs());
  verdict.mutable_contracts()->Swap(judged.mutable_contracts());
  verdict.mutable_readings()->Swap(judged.mutable_readings());
  verdict.mutable_would_pass_under()->Swap(judged.mutable_would_pass_under());
  verdict.set_likely_cause(reports::ToUtf8(judged.likely_cause()));
  verdict.mutable_consistent_with()->Swap(judged.mutable_consistent_with());
  verdict.set_declarable(judged.declarable());
  verdict.set_cause_confidence(judged.cause_confidence());
  if (reply.generator_unmoved() && verdict.outcome() == v1::OUTCOME_PASS &&
      MustDraw(c, inputs, outcome.outputs)) {
    verdict.set_outcome(v1::OUTCOME_FAIL);
    verdict.set_reason(
        absl::StrCat(c.function(),
                     " does not advance the generator: the next call would draw the same numbers "
                     "(diopiGeneratorSetSeedAndOffset and diopiGeneratorSetState move it)"));
    verdict.set_likely_cause("the generator is not advanced");
    verdict.set_cause_confidence(1);
  }
  if (!reply.relied_on().empty()) {
    verdict.set_reason(
        reports::ToUtf8(absl::StrCat(verdict.reason(), verdict.reason().empty() ? "" : "; ",
                                     "the library relies on values that the caller puts into an output: ",
                                     absl::StrJoin(reply.relied_on(), ", "))));
  }
  std::string differs = reply.nondeterministic_text();
  if (!reply.nondeterministic()) {
    differs = ChangedSince(c, outcome, verdict);
    if (differs.empty()) return verdict;
  }
  if (differs.empty()) differs = "two calls gave different results";
  if (MayDiffer(c)) {
    // Atomics are allowed here: the difference is reported but does not fail the case.
    verdict.set_reason(
        reports::ToUtf8(absl::StrCat(verdict.reason(), verdict.reason().empty() ? "" : "; ", differs)));
  } else if (judged.outcome() != v1::OUTCOME_HARNESS_ERROR) {
    const bool wrong = judged.outcome() == v1::OUTCOME_FAIL;
    verdict.set_outcome(v1::OUTCOME_NONDETERMINISTIC);
    verdict.set_reason(
        absl::StrCat(differs, wrong ? "; the last is wrong: " : "", wrong ? judged.reason() : ""));
  }
  return verdict;
}

}  // namespace

bool MayDiffer(const v1::Case& c) {
  const v1::Argument* generator = cases::FindArgument(c, "generator");
  const bool library_draws = cases::IsRandom(c) && generator != nullptr && generator->null();
  return library_draws || std::any_of(c.judges().begin(), c.judges().end(),
                                      [](const v1::Judge& judge) { return judge.may_be_nondeterministic(); });
}

v1::Verdict MakeVerdict(const v1::Case& c, v1::Outcome outcome, const std::string& reason) {
  v1::Verdict verdict;
  verdict.set_case_id(c.id());
  verdict.set_case_hash(c.hash());
  verdict.set_outcome(outcome);
  const ErrorText error = SplitBacktrace(reason);
  verdict.set_reason(
      reports::ToUtf8(error.message));  // a vendor's text may hold any bytes, a message must hold UTF-8
  verdict.set_backtrace(reports::ToUtf8(error.backtrace));
  verdict.set_function(c.function());
  verdict.set_operator_(c.operator_());
  verdict.set_dtype(c.dtype());
  verdict.set_tensor_info(TensorInfo(c));
  verdict.set_variant(c.variant());
  return verdict;
}

namespace {

v1::Verdict ReplyVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge,
                         const TensorMap& inputs) {
  if (!outcome.not_adaptable.empty()) {
    return MakeVerdict(
        c, v1::OUTCOME_SKIPPED,
        absl::StrCat("not called: the adaptor cannot convert the case: ", outcome.not_adaptable));
  }
  const v1::WorkerReply& reply = outcome.reply;
  if (!reply.forked().empty()) {
    const std::string& name = c.function().empty() ? c.id() : c.function();
    return MakeVerdict(c, v1::OUTCOME_CRASH, absl::StrCat("inside ", name, " ", reply.forked()));
  }
  if (cases::IsLibraryCheck(c)) return MakeVerdict(c, reply.check().outcome(), reply.check().reason());
  const bool success = reply.status() == v1::WorkerReply::RETURNED && reply.error_code() == kSuccess;
  v1::Verdict verdict;
  if (!success) {
    verdict = ErrorVerdict(c, reply);
  } else if (reply.findings_size() > 0) {
    const std::string reason = absl::StrJoin(
        reply.findings(), "; ",
        [](std::string* out, const v1::MemoryFinding& finding) { out->append(FindingText(finding)); });
    verdict = MakeVerdict(c, v1::OUTCOME_MEMORY, reason);
  } else if (!reply.text().empty() && TakesScratch(c)) {  // asked for its size: there are no outputs
    verdict = MakeVerdict(c, v1::OUTCOME_FAIL, reply.text());
  } else {
    verdict = NumbersVerdict(c, outcome, judge, inputs);
  }
  verdict.set_error_code(reply.error_code());
  if (!success) verdict.set_error_text(reports::ToUtf8(SplitBacktrace(reply.text()).message));
  verdict.set_threw(reply.status() == v1::WorkerReply::EXCEPTION);
  if (reply.call_us() > 0) verdict.set_call_us(reply.call_us());
  verdict.set_calls(reply.calls());
  return verdict;
}

// Something that an earlier case left in the worker ended it. No case is certain to be the culprit, but the
// run must not be green: the case in which it happened reports it, once.
void TellStrayEnd(const loader::CallOutcome& outcome, v1::Verdict* verdict) {
  const std::string own = verdict->reason();
  if (reports::IsFailure(verdict->outcome()) || verdict->outcome() == v1::OUTCOME_HARNESS_ERROR) {
    verdict->set_reason(reports::ToUtf8(absl::StrCat(own, "; besides, ", outcome.stray_end)));
    return;
  }
  const std::string by_itself =
      absl::StrCat("; by itself, in a fresh process: ", reports::OutcomeName(verdict->outcome()),
                   own.empty() ? "" : ", ", own);
  verdict->set_outcome(v1::OUTCOME_CRASH);
  verdict->set_reason(reports::ToUtf8(absl::StrCat(outcome.stray_end, by_itself)));
  verdict->set_signal(outcome.signal_name);
  verdict->set_backtrace(reports::ToUtf8(outcome.backtrace));
}

}  // namespace

v1::Verdict BuildVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge,
                         const TensorMap& inputs) {
  if (outcome.kind != Kind::kReplied) return ProcessVerdict(c, outcome);
  v1::Verdict verdict = ReplyVerdict(c, outcome, judge, inputs);
  if (!outcome.stray_end.empty()) TellStrayEnd(outcome, &verdict);
  return verdict;
}

void MarkAdapted(const loader::CallOutcome& outcome, v1::Verdict* verdict) {
  if (outcome.kind == Kind::kReplied && outcome.adapted.empty()) return;
  verdict->set_adapted(true);
  for (const auto& lines : {outcome.adapted, outcome.rounded}) {
    for (const std::string& line : lines) verdict->add_conversions(reports::ToUtf8(line));
  }
}

std::string TensorInfo(const v1::Case& c) {
  std::vector<std::string> parts;
  const auto add = [&parts](const std::string& name, const v1::TensorSpec& spec) {
    const std::vector<int64_t> shape(spec.shape().begin(), spec.shape().end());
    parts.push_back(
        absl::StrCat("(", name, ", ", std::string(DtypeName(spec.dtype())), ", ", ShapeText(shape), ")"));
  };
  for (const v1::Argument& arg : c.args()) {
    if (arg.role() != v1::ROLE_INPUT && arg.role() != v1::ROLE_INOUT) continue;
    if (arg.has_tensor()) add(arg.name(), arg.tensor());
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) {
      const bool null = i < arg.tensors().null_size() && arg.tensors().null(i);
      if (!null) add(absl::StrCat(arg.name(), ".", i), arg.tensors().tensors(i));
    }
  }
  return absl::StrCat("[", absl::StrJoin(parts, ", "), "]");
}

std::string ErrorName(int32_t code) {
  for (const auto& [known, name] : kErrors) {
    if (code == known) return name;
  }
  return absl::StrCat("the unknown error ", code);
}

}  // namespace diopi::agent
