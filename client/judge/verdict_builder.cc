// The first fact that applies decides the outcome, in the order listed in the header: the fate of the
// process, then the call's return value, then memory findings, and only then the numbers. A wrong number in a
// call that also wrote out of bounds says little, so the numbers are not judged in that case.
#include "client/judge/verdict_builder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "baselines/compare/sampled_tokens.h"
#include "cases/base/case_parts.h"
#include "cases/base/dtype.h"
#include "cases/base/hash.h"
#include "cases/base/outcome.h"
#include "cases/base/output_hash.h"
#include "cases/base/tensor.h"
#include "cases/base/text.h"
#include "cases/core/library_checks.h"
#include "cases/core/shared_memory.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"
#include "client/judge/error_text.h"
#include "impl_loader/call/call.h"

namespace diopi::agent {
namespace {

using Kind = loader::CallOutcome::Kind;

constexpr int32_t kSuccess = 0;
constexpr int32_t kNoImplement = 13;
constexpr int32_t kForceFallback = 14;
constexpr int32_t kDtypeNotSupported = 1000;

using F = v1::Finding;

// A vendor's text may hold any bytes, a message must hold UTF-8.
void CleanSaid(google::protobuf::RepeatedPtrField<F>* findings, std::string* backtrace) {
  for (F& finding : *findings) {
    const ErrorText error = SplitBacktrace(finding.said());
    finding.set_said(PrintableText(error.message));
    if (backtrace->empty()) *backtrace = PrintableText(error.backtrace);
    CleanSaid(finding.mutable_parts(), backtrace);
  }
}

// The verdict for a worker that did not answer.
v1::Verdict ProcessVerdict(const v1::Case& c, const loader::CallOutcome& outcome) {
  if (outcome.kind == Kind::kLost) return MakeVerdict(c, v1::OUTCOME_HARNESS_ERROR, outcome.ended);
  const bool late = outcome.kind == Kind::kTimedOut;
  v1::Verdict verdict = MakeVerdict(c, late ? v1::OUTCOME_TIMEOUT : v1::OUTCOME_CRASH, outcome.ended);
  verdict.set_signal(outcome.signal_name);
  verdict.set_backtrace(PrintableText(outcome.backtrace));
  return verdict;
}

// The verdict for a call that did not succeed: any reply but RETURNED with success.
v1::Verdict ErrorVerdict(const v1::Case& c, const v1::WorkerReply& reply) {
  const std::string& function = c.function();
  switch (reply.status()) {
    case v1::WorkerReply::SYMBOL_ABSENT:
      return MakeVerdict(c, v1::OUTCOME_NOT_IMPLEMENTED, {Found(F::NOT_EXPORTED).Name(function)});
    case v1::WorkerReply::EXCEPTION:
      return MakeVerdict(c, v1::OUTCOME_ERROR, {Found(F::THREW).Name(function).Said(reply.text())});
    case v1::WorkerReply::BAD_CASE:
      return MakeVerdict(c, v1::OUTCOME_HARNESS_ERROR, {Found(F::CALL_IMPOSSIBLE).Said(reply.text())});
    case v1::WorkerReply::SYNC_FAILED:
      if (!reply.failed().empty())
        return MakeVerdict(c, v1::OUTCOME_ERROR, {reply.failed().begin(), reply.failed().end()});
      return MakeVerdict(c, v1::OUTCOME_ERROR, {Found(F::SYNC_FAILED).Said(reply.text())});
    default:
      break;
  }
  // A library may refuse to write what it reads.
  v1::Outcome outcome = cases::SharesMemory(c) ? v1::OUTCOME_PASS : v1::OUTCOME_ERROR;
  if (reply.error_code() == kNoImplement || reply.error_code() == kForceFallback) {
    outcome = v1::OUTCOME_NOT_IMPLEMENTED;
  } else if (reply.error_code() == kDtypeNotSupported) {
    outcome = v1::OUTCOME_UNSUPPORTED_DTYPE;
  }
  return MakeVerdict(
      c, outcome,
      {Found(F::RETURNED).Name(function).Word(loader::ErrorName(reply.error_code())).Said(reply.text())});
}

bool TakesScratch(const v1::Case& c) {
  return std::any_of(c.args().begin(), c.args().end(),
                     [](const v1::Argument& arg) { return arg.scratch() != v1::Dtype::unsupported; });
}

// Whether the call must draw a random number: there is something to draw, and chance decides it.
bool MustDraw(const v1::Case& c, const TensorMap& inputs, const TensorMap& outputs) {
  if (baselines::IsTokenSampling(c)) return baselines::LeavesTokensToChance(c, inputs);
  // Attention's: the caller advances it, because the backward must find the state that the forward had.
  if (FindArgument(c, "gen") != nullptr) return false;
  const v1::Argument* train = FindArgument(c, "train");
  const v1::Argument* p = FindArgument(c, "p");
  const bool chance = (train == nullptr || train->b()) && (p == nullptr || (p->f() > 0 && p->f() < 1));
  return IsRandom(c) && chance && std::any_of(outputs.begin(), outputs.end(), [](const auto& output) {
           return NumElements(output.second.shape) > 0;
         });
}

// The last call's outputs were judged; nullopt: they are what the first call left, as far as their hashes are
// known.
std::optional<F> ChangedSince(const loader::CallOutcome& outcome, const v1::Verdict& judged) {
  for (const v1::OutputStats& stats : judged.outputs()) {
    const auto hash = outcome.hashes.find(stats.key());
    if (hash == outcome.hashes.end() || stats.digest().empty() || stats.digest() == Hex64(hash->second))
      continue;
    // What an adaptor converted is judged in other bytes than the library's.
    const auto output = outcome.outputs.find(stats.key());
    if (output != outcome.outputs.end() && HashOutput(output->second.data) == hash->second) continue;
    return Found(F::CHANGED_SINCE).Name(stats.key());
  }
  return std::nullopt;
}

// Makes it a verdict on this case, which may differ from the one that an adaptor handed over and that was
// judged.
void SetCase(const v1::Case& c, v1::Verdict* verdict) {
  verdict->set_case_id(c.id());
  verdict->set_case_hash(c.hash());
  verdict->set_function(c.function());
  verdict->set_operator_(c.operator_());
  verdict->set_dtype(c.dtype());
  verdict->set_tensor_info(TensorInfo(c));
  verdict->set_variant(c.variant());
}

v1::Verdict NumbersVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge,
                           const TensorMap& inputs) {
  const v1::WorkerReply& reply = outcome.reply;
  v1::Verdict verdict = judge(outcome.outputs);
  SetCase(c, &verdict);
  CleanSaid(verdict.mutable_findings(), verdict.mutable_backtrace());
  if (reply.generator_unmoved() && verdict.outcome() == v1::OUTCOME_PASS &&
      MustDraw(c, inputs, outcome.outputs)) {
    verdict.set_outcome(v1::OUTCOME_FAIL);
    verdict.clear_findings();
    *verdict.add_findings() = Found(F::GENERATOR_NOT_ADVANCED);
    *verdict.mutable_cause() = Found(F::GENERATOR_STILL);
    verdict.set_cause_confidence(1);
  }
  verdict.mutable_findings()->MergeFrom(reply.relied_on());
  google::protobuf::RepeatedPtrField<F> differs = reply.differs();
  if (differs.empty()) {
    std::optional<F> changed = ChangedSince(outcome, verdict);
    if (!changed.has_value()) return verdict;
    *differs.Add() = *std::move(changed);
  }
  if (MayDiffer(c)) {
    // Atomics are allowed here: the difference is reported but does not fail the case.
    verdict.mutable_findings()->MergeFrom(differs);
  } else if (verdict.outcome() != v1::OUTCOME_HARNESS_ERROR) {
    if (verdict.outcome() == v1::OUTCOME_FAIL)
      *differs.Add() = Found(F::LAST_WRONG).Parts(verdict.findings());
    verdict.set_outcome(v1::OUTCOME_NONDETERMINISTIC);
    verdict.mutable_findings()->Swap(&differs);
  }
  return verdict;
}

}  // namespace

bool MayDiffer(const v1::Case& c) {
  const v1::Argument* generator = FindArgument(c, "generator");
  const bool library_draws = IsRandom(c) && generator != nullptr && generator->null();
  return library_draws || std::any_of(c.judges().begin(), c.judges().end(),
                                      [](const v1::Judge& judge) { return judge.may_be_nondeterministic(); });
}

v1::Verdict MakeVerdict(const v1::Case& c, v1::Outcome outcome, const std::vector<F>& findings) {
  v1::Verdict verdict;
  SetCase(c, &verdict);
  verdict.set_outcome(outcome);
  verdict.mutable_findings()->Add(findings.begin(), findings.end());
  CleanSaid(verdict.mutable_findings(), verdict.mutable_backtrace());
  Describe(&verdict);
  return verdict;
}

v1::Verdict HarnessError(const v1::Case& c, const std::string& word, const std::string& why) {
  return MakeVerdict(c, v1::OUTCOME_HARNESS_ERROR, {Found(F::HARNESS).Word(word).Said(why)});
}

namespace {

v1::Verdict ReplyVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge,
                         const TensorMap& inputs) {
  if (!outcome.not_adaptable.empty())
    return MakeVerdict(c, v1::OUTCOME_SKIPPED, {Found(F::NOT_ADAPTABLE).Said(outcome.not_adaptable)});
  const v1::WorkerReply& reply = outcome.reply;
  if (reply.forked() != F::CODE_UNSPECIFIED) {
    const std::string& name = c.function().empty() ? c.id() : c.function();
    return MakeVerdict(c, v1::OUTCOME_CRASH, {Found(reply.forked()).Name(name)});
  }
  if (cases::IsLibraryCheck(c)) {
    const v1::WorkerReply::LibraryCheck& check = reply.check();
    return MakeVerdict(c, check.outcome(), {check.findings().begin(), check.findings().end()});
  }
  const bool success = reply.status() == v1::WorkerReply::RETURNED && reply.error_code() == kSuccess;
  v1::Verdict verdict;
  if (!success) {
    verdict = ErrorVerdict(c, reply);
    verdict.set_error_text(verdict.findings(0).said());
  } else if (!reply.findings().empty()) {
    verdict = MakeVerdict(c, v1::OUTCOME_MEMORY, {reply.findings().begin(), reply.findings().end()});
  } else if (!reply.failed().empty() && TakesScratch(c)) {  // asked for its size: there are no outputs
    verdict = MakeVerdict(c, v1::OUTCOME_FAIL, {reply.failed().begin(), reply.failed().end()});
  } else {
    verdict = NumbersVerdict(c, outcome, judge, inputs);
  }
  verdict.set_error_code(reply.error_code());
  verdict.set_threw(reply.status() == v1::WorkerReply::EXCEPTION);
  if (reply.call_us() > 0) verdict.set_call_us(reply.call_us());
  verdict.set_calls(reply.calls());
  return verdict;
}

// Something that an earlier case left in the worker ended it. No case is certain to be the culprit, but the
// run must not be green: the case in which it happened reports it, once.
void ReportStrayEnd(const loader::CallOutcome& outcome, v1::Verdict* verdict) {
  if (IsFailure(verdict->outcome()) || verdict->outcome() == v1::OUTCOME_HARNESS_ERROR) {
    *verdict->add_findings() = Found(F::BESIDES).Part(*outcome.stray_end);
    return;
  }
  const F by_itself = Found(F::BY_ITSELF).Word(OutcomeName(verdict->outcome())).Parts(verdict->findings());
  verdict->set_outcome(v1::OUTCOME_CRASH);
  verdict->clear_findings();
  *verdict->add_findings() = *outcome.stray_end;
  *verdict->add_findings() = by_itself;
  verdict->set_signal(outcome.signal_name);
  verdict->set_backtrace(PrintableText(outcome.backtrace));
}

}  // namespace

v1::Verdict BuildVerdict(const v1::Case& c, const loader::CallOutcome& outcome, const JudgeNumbers& judge,
                         const TensorMap& inputs) {
  if (outcome.kind != Kind::kReplied) return ProcessVerdict(c, outcome);
  v1::Verdict verdict = ReplyVerdict(c, outcome, judge, inputs);
  if (outcome.stray_end.has_value()) ReportStrayEnd(outcome, &verdict);
  Describe(&verdict);
  return verdict;
}

void MarkAdapted(const loader::CallOutcome& outcome, v1::Verdict* verdict) {
  if (outcome.kind == Kind::kReplied && outcome.adapted.empty()) return;
  verdict->set_adapted(true);
  for (const auto& lines : {outcome.adapted, outcome.rounded}) {
    for (const std::string& line : lines) verdict->add_conversions(PrintableText(line));
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

}  // namespace diopi::agent
