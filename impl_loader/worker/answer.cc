// Each kind of call has a function that lists what its reply may hold (CheckLibraryCheck, CheckTimes,
// CheckCall). Anything else makes the whole reply no answer: dropping it silently would leave the rest of a
// forged reply in force. All findings of a reply share one budget of text, so their number and nesting cannot
// multiply it.
#include "impl_loader/worker/answer.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"
#include "cases/findings/finding.h"
#include "impl_loader/caller/text.h"

namespace diopi::loader {
namespace {

constexpr size_t kNameBytes = 256;         // of the vendor's name and the like
constexpr size_t kKeyBytes = 128;          // of an output's name
constexpr size_t kLongestText = 16 << 10;  // an error string, with the backtrace that some libraries add
constexpr size_t kBacktraceBytes = 64 << 10;
constexpr int kMostFindings = 64;  // with their parts; the worker reports 32 about memory (checks.cc)
constexpr int kDeepest = 2;        // findings with parts: READS_OUTSIDE, "where: what" of a library check
constexpr size_t kWordBytes = 64;
constexpr int kMostDimensions = 16;
constexpr int kMostCalls = 1 << 20;
constexpr int kMostMissing = 64;  // device functions: the ABI has fewer

absl::Status NotOne(absl::string_view what) {
  return absl::DataLossError(what);
}

void Clean(std::string* text, size_t limit = kLongestText) {
  *text = PrintableText(*text, limit);
}

// One line of it.
void CleanName(std::string* name) {
  Clean(name, kNameBytes);
  std::replace_if(
      name->begin(), name->end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
}

bool IsDuration(double microseconds, std::chrono::milliseconds limit) {
  return std::isfinite(microseconds) && microseconds >= 0 &&
         microseconds <= static_cast<double>(limit.count()) * 1e3 + 1e6;
}

// The tensors that the case gives out: outputs, inouts, those that the library allocates.
std::set<std::string> OutputKeys(const v1::Case& c) {
  std::set<std::string> keys;
  for (const v1::Argument& arg : c.args()) {
    if (arg.role() == v1::ROLE_INPUT) continue;
    if (!arg.has_tensors()) keys.insert(arg.name());
    for (int i = 0; i < arg.tensors().tensors_size(); ++i) keys.insert(absl::StrCat(arg.name(), ".", i));
  }
  return keys;
}

// Whether the case allows this output to stay unwritten.
bool MayStayUnwritten(const v1::Case& c, const std::string& key) {
  const auto judges = [&](const v1::Judge& judge) {
    const std::string& name = judge.output();
    return judge.may_stay_unwritten() &&
           (key == name || (key.size() > name.size() && key.starts_with(name) && key[name.size()] == '.'));
  };
  return std::any_of(c.judges().begin(), c.judges().end(), judges);
}

using FindingList = google::protobuf::RepeatedPtrField<v1::Finding>;

// Checks all findings of one reply, and makes their texts printable and short: what is `said` in them is
// together no longer than one text.
class FindingsOfReply {
 public:
  // Only codes from `first` on, but none from `end` on, are the worker's to say here, and HARNESS with
  // `harness`.
  absl::Status Check(int first, int end, bool harness, FindingList* findings, int depth = 1) {
    if (findings->empty()) return absl::OkStatus();
    if (depth > kDeepest) return NotOne("it has findings within findings within findings");
    left_ -= findings->size();
    if (left_ < 0) return NotOne(absl::StrCat("it has more than ", kMostFindings, " findings"));
    for (v1::Finding& finding : *findings) {
      const int code = finding.code();
      const bool known = v1::Finding::Code_IsValid(code) && code >= first && code < end;
      if (!known && !(harness && code == v1::Finding::HARNESS))
        return NotOne(absl::StrCat("it has a finding of the code ", code, " where none belongs"));
      RETURN_IF_ERROR(CheckFields(&finding));
      RETURN_IF_ERROR(Check(first, end, harness, finding.mutable_parts(), depth + 1));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status CheckFields(v1::Finding* finding) {
    const std::string& word = finding->word();  // failures are grouped by it
    if (word.size() > kWordBytes || !std::all_of(word.begin(), word.end(), IsOfWord))
      return NotOne(absl::StrCat("it has a finding with the word ", PrintableText(word, kWordBytes)));
    if (finding->count() < 0 || finding->of() < 0 || finding->index() < 0 ||
        finding->place().at_size() > kMostDimensions)
      return NotOne("it has a finding with an impossible count or place");
    for (std::string* text : {finding->mutable_name(), finding->mutable_got(), finding->mutable_expected(),
                              finding->mutable_limit(), finding->mutable_off()})
      CleanName(text);
    Clean(finding->mutable_said(), room_);
    room_ -= finding->said().size();
    return absl::OkStatus();
  }

  static bool IsOfWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  int left_ = kMostFindings;
  size_t room_ = kLongestText;
};

// Sections of finding.proto.
constexpr int kMemory = 300;
constexpr int kEnd = 400;
constexpr int kLibraryChecks = 500;
constexpr int kProfile = 600;

absl::Status CheckFindings(v1::WorkerReply* reply) {
  FindingsOfReply all;
  for (FindingList* about_memory :
       {reply->mutable_findings(), reply->mutable_differs(), reply->mutable_relied_on()}) {
    RETURN_IF_ERROR(all.Check(kMemory, kEnd, false, about_memory));
  }
  return all.Check(kMemory, kLibraryChecks, false, reply->mutable_failed());
}

// `names` are among `keys`, each once.
absl::Status CheckNames(const google::protobuf::RepeatedPtrField<std::string>& names,
                        const std::set<std::string>& keys, absl::string_view what) {
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!keys.contains(name) || !seen.insert(name).second) {
      return NotOne(absl::StrCat("it names ", PrintableText(name, kKeyBytes), " as ", what,
                                 seen.contains(name) ? " twice" : ", which the case does not have"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckOutputs(const v1::Case& c, const v1::WorkerReply& reply) {
  const std::set<std::string> keys = OutputKeys(c);
  google::protobuf::RepeatedPtrField<std::string> names;
  for (const v1::ShmTensor& output : reply.outputs()) {
    *names.Add() = output.key();
    if (!v1::Dtype::Code_IsValid(output.dtype())) {
      return NotOne(absl::StrCat("the output ", PrintableText(output.key(), kKeyBytes),
                                 " has the unknown element type ", output.dtype()));
    }
  }
  RETURN_IF_ERROR(CheckNames(names, keys, "an output"));
  RETURN_IF_ERROR(CheckNames(reply.unwritten(), keys, "an unwritten output"));
  for (const std::string& key : reply.unwritten()) {
    if (!MayStayUnwritten(c, key)) return NotOne(absl::StrCat("it excuses ", key, " as unwritten"));
  }
  return absl::OkStatus();
}

// A check of the library as a whole: RunLibraryCheck. Only one that does not exist is our fault.
absl::Status CheckLibraryCheck(const v1::Case& c, v1::WorkerReply* reply) {
  if (!reply->has_check()) return NotOne("it has no result of the library check");
  v1::WorkerReply rest = *reply;
  rest.clear_sequence();
  rest.clear_check();
  rest.clear_forked();
  if (rest.ByteSizeLong() != 0) return NotOne("it has more than the result of the library check");
  static constexpr std::initializer_list<v1::Outcome> kResults = {v1::OUTCOME_PASS, v1::OUTCOME_FAIL,
                                                                  v1::OUTCOME_ERROR, v1::OUTCOME_SKIPPED,
                                                                  v1::OUTCOME_NOT_IMPLEMENTED};
  const auto same = [&](const v1::Case& known) { return known.label() == c.label(); };
  const std::vector<v1::Case> known = cases::LibraryChecks();
  const bool ours =
      reply->check().outcome() == v1::OUTCOME_HARNESS_ERROR && std::none_of(known.begin(), known.end(), same);
  if (!ours && std::find(kResults.begin(), kResults.end(), reply->check().outcome()) == kResults.end()) {
    return NotOne(absl::StrCat("no library check ends with the outcome ", reply->check().outcome()));
  }
  return FindingsOfReply().Check(kEnd, kProfile, ours, reply->mutable_check()->mutable_findings());
}

absl::Status CheckTimes(const AskedCall& asked, const v1::WorkerReply& reply) {
  const v1::TimeCall& wanted = asked.call->time();
  const v1::TimeReply& time = reply.time();
  if (reply.outputs_size() > 0 || reply.findings_size() > 0) return NotOne("a measurement has no outputs");
  if (time.warm_ns_size() > wanted.most_samples() || time.cold_ns_size() > wanted.cold_samples()) {
    return NotOne(
        absl::StrCat("it has ", time.warm_ns_size(), " and ", time.cold_ns_size(), " samples of times"));
  }
  const auto longest = static_cast<uint64_t>(asked.limit.count()) * 1'000'000;
  const auto too_long = [&](uint64_t ns) { return ns > longest; };
  if (std::any_of(time.warm_ns().begin(), time.warm_ns().end(), too_long) ||
      std::any_of(time.cold_ns().begin(), time.cold_ns().end(), too_long) || too_long(time.first_ns()) ||
      too_long(time.submit_ns())) {
    return NotOne("it has a time above the call's limit");
  }
  const auto counts = [](int32_t count) { return count >= 0 && count <= kMostCalls; };
  if (!counts(time.calls()) || !counts(time.late()) || !counts(time.disturbed())) {
    return NotOne("its counts of samples are impossible");
  }
  return absl::OkStatus();
}

absl::Status CheckCall(const AskedCall& asked, v1::WorkerReply* reply) {
  if (reply->has_check()) return NotOne("it has the result of a library check, which was not requested");
  if (!v1::WorkerReply::Status_IsValid(reply->status())) {
    return NotOne(absl::StrCat("it has the unknown status ", reply->status()));
  }
  if (reply->calls() < 0 || reply->calls() > kMostCalls || !IsDuration(reply->call_us(), asked.limit) ||
      !IsDuration(reply->calls_us(), asked.limit) || !std::isfinite(reply->calls_cpu_us())) {
    return NotOne(
        absl::StrCat("it counts ", reply->calls(), " calls, and ", reply->call_us(), " us for one"));
  }
  RETURN_IF_ERROR(CheckFindings(reply));
  Clean(reply->mutable_text());
  if (asked.call->has_time()) return CheckTimes(asked, *reply);
  if (reply->has_time()) return NotOne("it has times, which were not requested");
  if (reply->status() == v1::WorkerReply::BAD_CASE && asked.frame != nullptr && !asked.short_of_memory) {
    return NotOne(absl::StrCat("it says that the case cannot be called (", reply->text(),
                               "), but the agent has laid out its arguments"));
  }
  return CheckOutputs(asked.call->case_(), *reply);
}

absl::Status CheckReply(const AskedCall& asked, v1::WorkerReply* reply) {
  if (reply->sequence() != asked.call->sequence()) {
    return NotOne("it belongs to a different call from the one that was made");
  }
  if (reply->forked() != v1::Finding::CODE_UNSPECIFIED && reply->forked() != v1::Finding::COPY_RETURNED &&
      reply->forked() != v1::Finding::COPY_RUNS)
    return NotOne(absl::StrCat("it has a copy of the code ", reply->forked()));
  const v1::Case& c = asked.call->case_();
  return cases::IsLibraryCheck(c) ? CheckLibraryCheck(c, reply) : CheckCall(asked, reply);
}

// `room`: what is left of the bytes that the case's outputs may take.
absl::Status CheckPlace(const v1::ShmTensor& placed, uint64_t* room) {
  if (placed.in_frame()) {
    return NotOne(
        absl::StrCat("it left ", placed.key(), " in the memory that the library sees, where it is not"));
  }
  if (placed.nbytes() > *room) {
    return NotOne(
        absl::StrCat("it announces an output of ", placed.nbytes(), " bytes, more than the case allows"));
  }
  *room -= placed.nbytes();
  return absl::OkStatus();
}

// The agent itself looks up what it can see. The reply counts only for what the library allocated, and for
// tensors on a device.
absl::Status TakeOutputs(const AskedCall& asked, const v1::WorkerReply& reply, CallOutcome* outcome) {
  const bool succeeded = reply.status() == v1::WorkerReply::RETURNED && reply.error_code() == 0;
  if (!succeeded || reply.has_check() || asked.call->has_time()) return absl::OkStatus();
  std::vector<OutputTensor> outputs;
  if (asked.frame != nullptr) {
    outputs = asked.frame->Outputs(asked.in_place ? &outcome->output_views : nullptr);
    for (const std::string& key : reply.unwritten()) {
      if (asked.frame->IsUnwritten(key)) continue;
      return NotOne(absl::StrCat("it excuses ", key, " as unwritten, but something was written there"));
    }
  }
  uint64_t room = asked.call->output_bytes();
  for (const v1::ShmTensor& placed : reply.outputs()) {
    if (placed.has_hash()) outcome->hashes[placed.key()] = placed.hash();
    if (asked.frame != nullptr && asked.frame->Has(placed.key())) continue;
    RETURN_IF_ERROR(CheckPlace(placed, &room));
    if (placed.has_hash() && asked.in_place) {
      ASSIGN_OR_RETURN(TensorView view, asked.shared->View(placed, asked.call->output_offset()));
      outcome->output_views[placed.key()] = std::move(view);
      continue;
    }
    ASSIGN_OR_RETURN(HostTensor tensor, asked.shared->Take(placed, asked.call->output_offset()));
    outputs.push_back({placed.key(), tensor.dtype, std::move(tensor.shape), std::move(tensor.data)});
  }
  if (asked.adapted != nullptr) asked.adapted->TakeBack(&outputs);
  for (OutputTensor& output : outputs) {
    outcome->outputs[output.key] = {static_cast<Dtype>(output.dtype), std::move(output.shape),
                                    std::move(output.data)};
  }
  return absl::OkStatus();
}

constexpr char kLibrarysFault[] = "diopi/librarys_fault";

}  // namespace

absl::Status LibrarysFault(absl::string_view text) {
  absl::Status status = absl::FailedPreconditionError(text);
  status.SetPayload(kLibrarysFault, {});
  return status;
}

bool IsLibrarysFault(const absl::Status& status) {
  return status.GetPayload(kLibrarysFault).has_value();
}

absl::Status CheckHello(uint64_t device_bytes, v1::WorkerHello* hello) {
  static constexpr std::initializer_list<absl::string_view> kDialects = {"", "conform_test", "register",
                                                                         "none"};
  if (std::find(kDialects.begin(), kDialects.end(), hello->dialect()) == kDialects.end()) {
    return NotOne("the hello names a dialect of device functions that does not exist");
  }
  if (hello->device_memory() && (hello->dialect().empty() || hello->dialect() == "none")) {
    return NotOne("the hello has device memory without device functions");
  }
  if (hello->device_room() > device_bytes)
    return NotOne("the hello has more room on the device than was asked for");
  if (hello->missing_device_functions_size() > kMostMissing) {
    return NotOne(
        absl::StrCat("the hello misses ", hello->missing_device_functions_size(), " device functions"));
  }
  CleanName(hello->mutable_vendor_name());
  CleanName(hello->mutable_impl_version());
  for (std::string& name : *hello->mutable_missing_device_functions()) CleanName(&name);
  Clean(hello->mutable_load_error());
  return absl::OkStatus();
}

CallOutcome TakeAnswer(const AskedCall& asked, v1::WorkerReply reply) {
  CallOutcome outcome;
  absl::Status taken = CheckReply(asked, &reply);
  if (taken.ok()) taken = TakeOutputs(asked, reply, &outcome);
  if (!taken.ok()) {
    CallOutcome none;
    none.kind = CallOutcome::Kind::kNotAnAnswer;
    none.ended = {Found(v1::Finding::NOT_AN_ANSWER).Said(std::string(taken.message()))};
    return none;
  }
  // The worker has checked too, but it is in the library's hands. If the library was not called, the memory
  // was not filled.
  const bool called =
      reply.status() == v1::WorkerReply::RETURNED || reply.status() == v1::WorkerReply::EXCEPTION;
  if (asked.frame != nullptr && called) asked.frame->Check(&reply);
  if (asked.adapted != nullptr) ReportConversions(*asked.adapted, &outcome);
  outcome.reply = std::move(reply);
  return outcome;
}

void ReportConversions(const AdaptedCall& adapted, CallOutcome* outcome) {
  outcome->not_adaptable = adapted.not_adaptable();
  outcome->adapted = adapted.adapted();
  outcome->rounded = adapted.rounded();
}

void CleanEnd(CallOutcome* outcome) {
  Clean(&outcome->backtrace, kBacktraceBytes);
}

}  // namespace diopi::loader
