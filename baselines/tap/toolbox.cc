// What a watched call goes through: its arguments are read as a case, where a tool needs them; the inputs are
// copied; the library makes the call, or the CPU reference does where it falls back; the outputs are copied
// and compared, captured, or both. No lock is held while the library runs. Calls that a library or the
// reference makes within a call go straight to the vendor's library.
#include "baselines/tap/toolbox.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "baselines/compare/expect.h"
#include "baselines/tap/call_timer.h"
#include "baselines/tap/vendor_watch.h"
#include "cases/base/case_parts.h"
#include "cases/base/status_macros.h"
#include "cases/base/text.h"
#include "cases/core/argument_text.h"
#include "cases/findings/describe.h"
#include "cases/findings/finding.h"

namespace diopi::tap {
namespace {

constexpr int64_t kDumpedValues = 16;  // of each tensor

// Calls with more than DIOPI_TAP_COMPARE_BYTES are compared on slices, up to this many times as many.
constexpr int64_t kSlicedTimes = 16;

// How many watched calls this thread is in.
thread_local int t_depth = 0;

class Nested {
 public:
  Nested() { ++t_depth; }
  ~Nested() { --t_depth; }
  Nested(const Nested&) = delete;
  Nested& operator=(const Nested&) = delete;
};

void LogLine(const std::string& text) {
  std::fprintf(stderr, "diopi_tap: %s\n", PrintableText(text).c_str());
}

int32_t CallLibrary(const Call& call) {
  return call.function == nullptr ? static_cast<int32_t>(diopiNoImplement)
                                  : call.invoke(call.function, call.arguments);
}

// The first values of each tensor, a line each.
std::string ValuesText(const TensorMap& tensors) {
  std::string text;
  for (const auto& [key, tensor] : tensors) {
    absl::StrAppend(&text, "\n  ", key, ":");
    const int64_t count = NumElements(tensor.shape);
    for (int64_t i = 0; i < std::min(count, kDumpedValues); ++i) {
      absl::StrAppend(&text, " ", baselines::ElementText(tensor, i));
    }
    if (count > kDumpedValues) absl::StrAppend(&text, " ... (", count, " elements)");
  }
  return text;
}

// "1 call", "2 calls".
std::string Calls(int64_t count) {
  return absl::StrCat(count, count == 1 ? " call" : " calls");
}

}  // namespace

struct Toolbox::Passage {
  const Call& call;
  const FunctionInfo& info;
  uint32_t tools = 0;  // those that this call still concerns
  CallFacts facts = {};
  std::optional<LiveCall> live = std::nullopt;
  TensorMap inputs = {};
  bool captures = false;
  bool compares = false;

  bool Is(Tool tool) const { return (tools & tool) != 0; }
  const std::string& name() const { return info.function->name(); }
};

absl::StatusOr<std::unique_ptr<Toolbox>> Toolbox::Make(const TapHost& host) {
  ASSIGN_OR_RETURN(std::unique_ptr<FunctionTable> table, FunctionTable::Load());
  std::vector<std::string> problems;
  ToolSettings settings = ReadToolSettings(host.setting, *table, host.folder, &problems);
  for (const std::string& problem : problems) LogLine(problem);
  bool any = false;
  for (const uint32_t tools : settings.tools) any = any || tools != 0;
  if (!any) return std::unique_ptr<Toolbox>();
  ASSIGN_OR_RETURN(const HostRuntime runtime, HostRuntime::Find(host));
  std::unique_ptr<Toolbox> box(new Toolbox(runtime, std::move(table), std::move(settings), host.library));
  RETURN_IF_ERROR(box->Start(host));
  return box;
}

Toolbox::Toolbox(HostRuntime runtime, std::unique_ptr<FunctionTable> table, ToolSettings settings,
                 std::string library)
    : runtime_(runtime),
      table_(std::move(table)),
      settings_(std::move(settings)),
      library_(std::move(library)),
      memory_(&VendorDeviceFunctions),
      reference_(settings_.reference, library_, settings_.contracts),
      capture_(settings_.capture_folder, settings_.capture_bytes, library_),
      called_(table_->functions().size()) {}

absl::Status Toolbox::Start(const TapHost& host) {
  RequireObserver* observer = settings_.Any(kMemory) ? &memory_table_ : nullptr;
  RETURN_IF_ERROR(WatchVendor(host, runtime_, library_, settings_.device_lib, observer));
  if (!settings_.trace_path.empty()) {
    ASSIGN_OR_RETURN(trace_, TraceFile::Create(settings_.trace_path));
  }
  if (!settings_.called_path.empty()) {
    called_file_ = std::fopen(settings_.called_path.c_str(), "ae");
    if (called_file_ == nullptr)
      LogLine(absl::StrCat("DIOPI_TAP_CALLED: ", settings_.called_path, " cannot be written"));
  }
  return absl::OkStatus();
}

bool Toolbox::Watches(int index) const {
  const auto at = static_cast<size_t>(index);
  return settings_.tools[at] != 0 || settings_.step_ends[at];
}

// The step of this call, from 0: a step ends after a run of the optimiser's calls.
int64_t Toolbox::CountStep(int index) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool ends = settings_.step_ends[static_cast<size_t>(index)];
  if (!ends && step_ending_) ++step_;
  step_ending_ = ends;
  return step_;
}

bool Toolbox::IsNew(const std::string& signature) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return signatures_.insert(signature).second;
}

void Toolbox::LogOnce(const std::string& text) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!logged_.insert(text).second) return;
  }
  LogLine(text);
}

// Writes the function's name at its first call, so that a process that dies has named all that it called.
void Toolbox::Name(Passage* passage) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto at = static_cast<size_t>(passage->call.index);
  if (called_[at] || called_file_ == nullptr) return;
  called_[at] = true;
  std::fprintf(called_file_, "%s\n", passage->name().c_str());
  std::fflush(called_file_);
}

int32_t Toolbox::Intercept(const Call& call) {
  if (t_depth > 0) return CallLibrary(call);
  const Nested nested;
  const auto at = static_cast<size_t>(call.index);
  Passage passage{call, table_->functions()[at], settings_.tools[at]};
  passage.facts.order = ++order_;
  passage.facts.thread = gettid();
  passage.facts.step = CountStep(call.index);
  if (passage.Is(kCalled)) Name(&passage);
  Prepare(&passage);
  int32_t code = 0;
  if (!passage.Is(kFallback) || !FallBack(&passage, &code)) code = Forward(&passage);
  Record(&passage, code);
  return code;
}

// What cannot be read as a case is forwarded, and said once.
void Toolbox::GiveUp(Passage* passage, const absl::Status& why) {
  LogOnce(absl::StrCat(passage->name(), " is only forwarded: ", why.message()));
  if (passage->Is(kCompare)) comparisons_.Skip(passage->name(), std::string(why.message()));
  passage->tools &= uint32_t{kTime | kMemory};
  passage->captures = passage->compares = false;
}

void Toolbox::Prepare(Passage* passage) {
  if (passage->Is(kTime) && !settings_.schedule.IsActive(passage->facts.step))
    passage->tools &= ~uint32_t{kTime};
  if (passage->Is(kDump) && settings_.dump_level == 1) {
    LogLine(passage->name());
    passage->tools &= ~uint32_t{kDump};
  }
  if (!settings_.InSteps(passage->facts.step)) passage->tools &= ~uint32_t{kCapture | kCompare};
  if (capture_.full()) passage->tools &= ~uint32_t{kCapture};
  if ((passage->tools & (kDump | kTime | kCapture | kCompare | kFallback)) == 0) return;
  absl::StatusOr<LiveCall> live = LiveCall::Read(passage->info, passage->call, runtime_, memory_);
  if (!live.ok()) return GiveUp(passage, live.status());
  passage->live.emplace(*std::move(live));
  passage->facts.stream = passage->live->stream();
  if (passage->Is(kCapture) || passage->Is(kCompare)) {
    const bool wanted = settings_.every_call || IsNew(passage->live->Signature());
    passage->captures = wanted && passage->Is(kCapture);
    passage->compares = wanted && passage->Is(kCompare) && !passage->Is(kFallback);
  }
  if (passage->compares && passage->live->bytes() / kSlicedTimes > settings_.compare_bytes) {
    comparisons_.Skip(passage->name(), absl::StrCat("its tensors have more than ", kSlicedTimes,
                                                    " times DIOPI_TAP_COMPARE_BYTES"));
    passage->compares = false;
  }
  const bool dumps_values = passage->Is(kDump) && settings_.dump_level > 2;
  if (passage->captures || passage->compares || passage->Is(kFallback) || dumps_values) {
    absl::StatusOr<TensorMap> inputs = passage->live->ReadInputs();
    if (!inputs.ok()) return GiveUp(passage, inputs.status());
    passage->inputs = *std::move(inputs);
  }
  if (passage->Is(kDump)) Dump(*passage);
}

void Toolbox::Dump(const Passage& passage) const {
  std::string text = passage.name();
  for (const cases::ArgumentLine& line : cases::ArgumentLines(passage.live->c())) {
    absl::StrAppendFormat(&text, "\n  %-16s %-8s %s", line.name, line.role, line.text);
  }
  LogLine(absl::StrCat(text, ValuesText(passage.inputs)));
}

bool Toolbox::FallBack(Passage* passage, int32_t* code) {
  absl::StatusOr<TensorMap> outputs = reference_.Compute(passage->live->c(), passage->inputs);
  absl::Status status = outputs.ok() ? passage->live->WriteOutputs(*outputs) : outputs.status();
  if (!status.ok()) {
    LogOnce(absl::StrCat(passage->name(), " does not fall back: ", status.message()));
    return false;
  }
  LogOnce(absl::StrCat(passage->name(), " falls back to the CPU reference"));
  ++fallen_back_;
  *code = diopiSuccess;
  return true;
}

int32_t Toolbox::Forward(Passage* passage) {
  if (passage->Is(kMemory)) memory_table_.Begin(passage->name());
  std::optional<CallTimer> timer;
  if (passage->Is(kTime)) timer.emplace(memory_, passage->facts.stream, settings_.device_clock);
  using Microseconds = std::chrono::duration<double, std::micro>;
  const auto start = std::chrono::steady_clock::now();
  const int32_t code = CallLibrary(passage->call);
  CallTimer::Time time;
  if (timer.has_value()) time = timer->Stop();
  passage->facts.start_us = Microseconds(start - start_).count();
  passage->facts.microseconds =
      timer.has_value() ? time.microseconds : Microseconds(std::chrono::steady_clock::now() - start).count();
  if (passage->Is(kMemory)) memory_table_.End();
  if (timer.has_value()) AddTime(*passage, time.by_device);
  return code;
}

// A call that could not be read as a case has no shapes.
void Toolbox::AddTime(const Passage& passage, bool by_device) {
  if (settings_.device_clock && !by_device) {
    LogOnce("DIOPI_TAP_CLOCK: no CUDA driver takes the stream; such calls are timed by the host's clock");
  }
  const std::string arguments = passage.live.has_value() ? TensorsText(passage.live->c()) : "";
  times_.Add(passage.name(), arguments, passage.facts.microseconds, by_device);
  if (trace_ == nullptr) return;
  trace_->Add({passage.name(), passage.facts.start_us, passage.facts.microseconds, by_device,
               passage.facts.thread, passage.facts.stream, passage.facts.step, arguments,
               passage.live.has_value() ? passage.live->bytes() : 0});
}

void Toolbox::Record(Passage* passage, int32_t code) {
  passage->facts.returned = code;
  const bool dumps_values = passage->Is(kDump) && settings_.dump_level > 2;
  if (!passage->captures && !passage->compares && !dumps_values) return;
  absl::StatusOr<TensorMap> outputs = passage->live->ReadOutputs();
  if (!outputs.ok()) return GiveUp(passage, outputs.status());
  if (dumps_values) LogLine(absl::StrCat(passage->name(), " returned ", code, ValuesText(*outputs)));
  absl::Status finished = passage->live->Finish(absl::StrCat("call", passage->facts.order));
  if (!finished.ok()) return GiveUp(passage, finished);
  if (passage->compares) Compare(passage, *outputs);
  if (passage->captures) Capture(passage, *outputs);
}

void Toolbox::Compare(Passage* passage, const TensorMap& outputs) {
  v1::Verdict verdict;
  std::string how;
  if (passage->facts.returned == diopiNoImplement) {
    return comparisons_.Skip(passage->name(), "the library does not implement it");
  }
  if (passage->facts.returned != diopiSuccess) {
    verdict.set_outcome(v1::OUTCOME_ERROR);
    *verdict.add_findings() =
        Found(v1::Finding::RETURNED).Name(passage->name()).Word(absl::StrCat(passage->facts.returned));
  } else {
    const bool large = passage->live->bytes() > settings_.compare_bytes;
    const v1::Case& c = passage->live->c();
    absl::StatusOr<v1::Verdict> judged = large ? reference_.JudgeOnSlices(c, passage->inputs, outputs)
                                               : reference_.Judge(c, passage->inputs, outputs);
    constexpr char kLarge[] = "its tensors have more than DIOPI_TAP_COMPARE_BYTES";
    if (!judged.ok()) {
      return comparisons_.Skip(passage->name(), absl::StrCat(large ? kLarge : "", large ? ", and " : "",
                                                             judged.status().message()));
    }
    if (large) how = absl::StrCat("on slices, because ", kLarge);
    if (IsRandom(c)) how = "by the distribution of its random output";
    verdict = *std::move(judged);
    const absl::StatusOr<std::vector<std::string>> changed = passage->live->ChangedInputs(passage->inputs);
    if (changed.ok() && !changed->empty()) {
      verdict.set_outcome(v1::OUTCOME_MEMORY);
      *verdict.add_findings() = Found(v1::Finding::INPUT_CHANGED).Name(changed->front());
    }
  }
  Describe(&verdict);
  const std::string facts = FactsText(passage->facts);
  comparisons_.Add(passage->name(), verdict, facts, how);
  const bool pass = verdict.outcome() == v1::OUTCOME_PASS;
  if (!pass || settings_.print_passes) {
    LogLine(absl::StrCat(passage->name(), ", ", facts, ": ", VerdictLine(verdict), "\n  ",
                         TensorsText(passage->live->c())));
  }
  if (!pass && !passage->captures) Capture(passage, outputs);
}

void Toolbox::Capture(Passage* passage, const TensorMap& outputs) {
  const absl::Status status = capture_.Add(passage->live->c(), passage->inputs, outputs, passage->facts);
  if (!status.ok()) LogLine(absl::StrCat("Capturing ends: ", status.message()));
}

void Toolbox::Finish() {
  for (const std::string& text : {times_.Text(), comparisons_.Text(), memory_table_.Text()}) {
    if (!text.empty()) std::fputs(PrintableText(absl::StrCat("diopi_tap: ", text)).c_str(), stderr);
  }
  if (fallen_back_ > 0) LogLine(absl::StrCat(Calls(fallen_back_), " fell back to the CPU reference"));
  if (capture_.files() > 0)
    LogLine(absl::StrCat(Calls(capture_.files()), " captured in ", capture_.folder()));
  if (trace_ != nullptr) {
    const absl::Status status = trace_->Close();
    LogLine(status.ok() ? absl::StrCat("the trace is in ", settings_.trace_path)
                        : std::string(status.message()));
  }
}

}  // namespace diopi::tap
