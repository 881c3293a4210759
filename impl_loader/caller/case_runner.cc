// A case is called at least twice on fresh streams with different poison in its outputs. An element that
// keeps both poisons was not written; one that differs otherwise is not deterministic. In every second call
// the inputs arrive late on the call's stream, so that work on any other stream reads zeros. The second call
// also finds poison where callers put values, which shows whether the library relies on them; if so, a third
// call decides about determinism. Memory is inspected after each call, before anything is freed.
#include "impl_loader/caller/case_runner.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/hash.h"
#include "cases/base/output_hash.h"
#include "cases/base/stage.h"
#include "cases/findings/finding.h"
#include "impl_loader/caller/case_attempt.h"
#include "impl_loader/caller/memory_level.h"
#include "impl_loader/caller/text.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;

double ProcessorMicroseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

constexpr int kLeakCalls = 16;  // each must grow: caches that fill up stop growing
constexpr int kFewestLeakCalls = 4;
constexpr double kLeakSeconds = 2;  // the most spent on them
// After so long, no further call of a sampled case begins, whether the library or the way to the device takes
// the time.
constexpr std::chrono::milliseconds kSampledTime{4};
constexpr size_t kMaxSpares = 16;
constexpr size_t kMaxSpareBytes = 4 << 20;
// How long we watch for writes of a thread that outlives its call.
constexpr std::chrono::milliseconds kSettle{50};
// Fresh streams, if the library has streams, which the calls use in turn through the context, and one that
// fills required memory. They are made before the first call, so that a library that caches something per
// stream gets another one in the next call.
class StreamScope {
 public:
  StreamScope(const runtime::DeviceFunctions& functions, diopiContext* context, size_t count)
      : functions_(functions), context_(context) {
    context_->stream = context_->fill_stream = nullptr;
    while (functions_.stream_create != nullptr && code_ == 0 && streams_.size() < count + 1) {
      void* stream = nullptr;
      code_ = functions_.stream_create(&stream);
      if (code_ == 0) streams_.push_back(stream);
    }
    if (!streams_.empty()) context_->fill_stream = streams_[0];
  }
  ~StreamScope() {
    for (void* stream : streams_) {
      if (functions_.stream_destroy != nullptr) functions_.stream_destroy(stream);
    }
    context_->stream = context_->fill_stream = nullptr;
  }
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

  int32_t code() const { return code_; }
  void Use(int call) const {
    if (streams_.size() < 2) return;
    context_->stream = streams_[1 + static_cast<size_t>(call) % (streams_.size() - 1)];
  }

 private:
  const runtime::DeviceFunctions& functions_;
  diopiContext* context_;
  std::vector<void*> streams_;
  int32_t code_ = 0;
};

bool Succeeded(const v1::WorkerReply& reply) {
  return reply.status() == v1::WorkerReply::RETURNED && reply.error_code() == diopiSuccess;
}

// Chooses every eighth case, whatever the run's options.
bool IsCalledOften(const std::string& id) {
  return !id.empty() && Xxh64(id) % 8 == 0;
}

}  // namespace

CaseRunner::CaseRunner(VendorLibrary* vendor, const ForkGuard* forks)
    : vendor_(vendor),
      forks_(forks),
      device_(vendor->functions().HasMemory() ? std::make_unique<runtime::Arena>(vendor->functions(), &host_)
                                              : nullptr),
      context_(&host_, device_.get(), vendor->functions()),
      delay_(vendor->functions()) {}

RunResult CaseRunner::Run(const v1::Case& c, const std::vector<InputView>& inputs,
                          const RunOptions& options) {
  RunResult result;
  const abi::Function* function = abi::FindFunction(c.function());
  if (function == nullptr) {
    Fail(&result, v1::WorkerReply::BAD_CASE, absl::StrCat("the ABI has no function ", c.function()));
    return result;
  }
  void* symbol = vendor_->Symbol(c.function());
  if (symbol == nullptr) {
    Fail(&result, v1::WorkerReply::SYMBOL_ABSENT, "");
    return result;
  }
  const int64_t threads = CurrentThreads();
  if (options.frame_bytes > 0 && device_ == nullptr) {
    host_.Borrow(options.frame, options.frame_bytes, options.frame_gap);
  }
  {
    absl::StatusOr<std::unique_ptr<CallFrame>> frame =
        CallFrame::Build(*function, c, inputs, options.widened, &context_);
    if (frame.ok()) {
      RunCalls(*function, symbol, options, IsCalledOften(c.id()), frame->get(), &result);
    } else {
      Fail(&result, v1::WorkerReply::BAD_CASE, std::string(frame.status().message()));
    }
    context_.ReleaseRequired();
  }
  if (device_ != nullptr && device_->TakeRefused() && !Succeeded(result.reply)) {
    result.reply.set_out_of_memory(true);
  }
  host_.EndLoan();
  if (CurrentThreads() > threads) {
    host_.Abandon();  // a thread that is still running may still be writing
  } else {
    host_.Rewind({});
  }
  if (device_ != nullptr) device_->Rewind({});
  return result;
}

void CaseRunner::Fail(RunResult* result, v1::WorkerReply::Status status, const std::string& text) {
  result->reply.set_status(status);
  result->reply.set_text(PrintableText(text));
}

// A copy or the like has failed, beside the call.
void CaseRunner::FailStep(const std::string& step, int32_t code, RunResult* result) {
  result->reply.set_status(v1::WorkerReply::SYNC_FAILED);
  *result->reply.add_failed() =
      Found(v1::Finding::STEP_FAILED).Word(step).Got(absl::StrCat(code)).Said(vendor_->LastError());
}

void CaseRunner::RunCalls(const abi::Function& function, void* symbol, const RunOptions& options,
                          bool sampled, CallFrame* frame, RunResult* result) {
  StageReached("in_call");
  int calls = std::max(options.calls, 1);
  const StreamScope streams(vendor_->functions(), &context_, calls > 1 ? 2 : 1);
  if (streams.code() != 0) {
    FailStep("make_stream", streams.code(), result);
    return;
  }
  Attempt attempt{function, symbol, frame, result, &options, {}, {}, {}, 0, false};
  Mark(&attempt);
  streams.Use(0);
  if (!AllocateScratch(&attempt)) return;
  MemoryLevel level;
  MemoryLevel previous;
  bool finished = true;
  Clock::time_point start = Clock::now();
  bool relies = false;  // the result depends on what outputs held before the call
  for (int i = 0; i < calls && finished; ++i) {
    const int64_t threads = CurrentThreads();
    streams.Use(i);
    // The second call finds poison where callers put values. A library that relies on these values is called
    // once more with them, to see whether its results repeat.
    const bool fill = i != 1;
    const bool hold = options.hold_inputs && (i % 2 == 1 || (relies && i == 2));
    finished = CallOnce(&attempt, {kPoison[i % 2], hold, fill, i % 2 == 1 ? "*" : ""}) &&
               Inspect(&attempt, !options.frame_is_checked || device_ != nullptr ? Inputs::kAll
                                 : i + 1 < calls                                 ? Inputs::kSample
                                                                                 : Inputs::kSent);
    result->reply.set_calls(i + 1);
    if (!attempt.held) result->reply.set_call_us(attempt.seconds * 1e6);
    if (finished) {
      std::vector<OutputTensor> outputs;
      const bool new_threads = CurrentThreads() > threads;
      // From here on the first call's large outputs are known by their hashes, unless they are looked at
      // again: for late writes, or as what a slot holds.
      const bool gone = i == 0 && calls > 1 && !new_threads && frame->slots().empty() && device_ == nullptr;
      attempt.next_poison = gone ? std::optional(kPoison[1]) : std::nullopt;
      attempt.unhashed = options.leaves_last && i == 1 && calls == 2 && !sampled && !new_threads;
      finished = Gather(&attempt, &outputs);
      attempt.unhashed = false;
      if (options.calls > 1 && finished) CheckLateWrites(&attempt, new_threads, outputs);
      if (i == 0) result->reply.set_generator_unmoved(!frame->GeneratorsMoved());
      if (i == 0 || !finished) {
        result->outputs = std::move(outputs);
      } else {
        Compare(&attempt, result->outputs, outputs, kPoison[i % 2], fill);
        Recycle(std::move(outputs));
        relies = !result->reply.relied_on().empty();
        if (relies) calls = std::max(calls, 3);
      }
    }
    EndCall(attempt);
    if (finished && i == 0 && options.calls == 2 && sampled) {
      calls = std::max(options.sampled_calls, 2);
      start = Clock::now();
    }
    const int least = relies ? 3 : 2;
    if (options.calls == 2 && i + 1 >= least && Clock::now() - start > kSampledTime) calls = i + 1;
    if (finished && i > 0 && !result->reply.differs().empty()) {
      Examine(&attempt);
      break;
    }
    if (options.alone && calls > 1) {
      previous = level;
      level = CurrentMemoryLevel();
    }
  }
  if (finished && options.alone && calls > 1 && level.Above(previous)) {
    FindLeaks(&attempt);
    Inspect(&attempt);  // on a device, those calls left inputs where large outputs are read
  }
  for (const v1::Finding& finding : attempt.findings.list()) *result->reply.add_findings() = finding;
  if (!StoreLarge(&attempt))
    Fail(result, v1::WorkerReply::BAD_CASE, "the shared memory has no room for the outputs");
}

// Before the first call whose outputs count.
bool CaseRunner::AllocateScratch(Attempt* attempt) {
  if (attempt->frame->scratch().empty()) return true;
  if (!PrepareCall(attempt, {kPoison[0]})) return false;
  v1::Finding wrong;
  const absl::Status status = attempt->frame->AllocateScratch(
      [&](const std::vector<ArgValue>& args) -> absl::Status {
        const bool called = CallLibrary(attempt, args) && Succeeded(attempt->result->reply);
        EndCall(*attempt);
        return called ? absl::OkStatus() : absl::CancelledError();  // the reply says why
      },
      &wrong);
  if (!status.ok() && !absl::IsCancelled(status)) *attempt->result->reply.add_failed() = std::move(wrong);
  attempt->result->reply.set_calls(1);
  Mark(attempt);
  return status.ok();
}

bool CaseRunner::PrepareCall(Attempt* attempt, const Setting& setting) {
  int32_t code = attempt->frame->Prepare(setting.poison, setting.fill, setting.spreading);
  if (code == 0) code = context_.Synchronize();
  attempt->held = false;
  const std::vector<ArgValue>& preparing = attempt->frame->preparing_args();
  const bool sized = attempt->frame->scratch().empty() || attempt->frame->scratch()[0].needed >= 0;
  if (code == 0 && sized && !preparing.empty() &&
      !(CallLibrary(attempt, preparing) && Succeeded(attempt->result->reply))) {
    return false;
  }
  // Twice the last call's time: its work on another stream has ended by then.
  if (code == 0 && setting.hold)
    code = attempt->frame->HoldInputs(&delay_, 2 * attempt->seconds, &attempt->held);
  if (code == 0) return true;
  FailStep("copy_in", code, attempt->result);
  return false;
}

bool CaseRunner::CallLibrary(Attempt* attempt, const std::vector<ArgValue>& args) {
  RunResult* result = attempt->result;
  const double used = ProcessorMicroseconds();
  const Clock::time_point start = Clock::now();
  const absl::StatusOr<CallResult> called = CallFunction(attempt->symbol, attempt->function, &context_, args);
  if (forks_ != nullptr) forks_->EndIfCopy();
  if (!called.ok()) {
    Fail(result, v1::WorkerReply::BAD_CASE, std::string(called.status().message()));
    return false;
  }
  const int32_t code = context_.Synchronize();
  attempt->seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result->reply.set_calls_us(result->reply.calls_us() + attempt->seconds * 1e6);
  result->reply.set_calls_cpu_us(result->reply.calls_cpu_us() + ProcessorMicroseconds() - used);
  if (called->kind == CallResult::Kind::kException) {
    Fail(result, v1::WorkerReply::EXCEPTION, called->exception);
  } else {
    result->reply.set_error_code(called->error_code);
    if (called->error_code != diopiSuccess) result->reply.set_text(vendor_->LastError());
  }
  if (code != 0) {
    Fail(result, v1::WorkerReply::SYNC_FAILED, "");
    *result->reply.add_failed() = Found(v1::Finding::SYNC_FAILED)
                                      .Name(attempt->function.name())
                                      .Got(absl::StrCat(code))
                                      .Said(vendor_->LastError());
    return false;
  }
  return true;
}

bool CaseRunner::CallOnce(Attempt* attempt, const Setting& setting) {
  return PrepareCall(attempt, setting) && CallLibrary(attempt, attempt->frame->args());
}

// Inspects the memory after a call; false when there are no outputs to inspect.
bool CaseRunner::Inspect(Attempt* attempt, Inputs inputs) {
  int32_t code = attempt->frame->Download();
  if (code == 0) code = context_.Synchronize();
  if (code != 0) {
    FailStep("copy_out", code, attempt->result);
    return false;
  }
  CheckFrame(attempt->frame, context_, &attempt->findings, inputs);
  return Succeeded(attempt->result->reply);
}

// Takes only the hash of a large output. What the library has required (no `bound`) is gone after the call,
// so it goes into the store after the first one.
OutputTensor CaseRunner::Take(const Attempt& attempt, const std::string& key, const diopiTensor& tensor,
                              BoundTensor* bound) {
  const bool stays = bound != nullptr;
  const std::byte* const frame = attempt.options->frame;
  const std::byte* const at_storage = tensor.storage.mirror;
  const bool in_frame = stays && at_storage >= frame && at_storage < frame + attempt.options->frame_bytes;
  const std::string_view elements = ElementsInPlace(tensor);
  if (attempt.options->store == nullptr || elements.size() < kLargeOutput) {
    OutputTensor output = ReadTensor(key, tensor, Spare());
    output.in_frame = in_frame;
    return output;
  }
  OutputTensor output{key, tensor.dtype, tensor.shape, {}, in_frame};
  output.large = OutputTensor::Large{elements};
  // Where outputs hold callers' values or may stay unwritten, only this process knows what a difference
  // means.
  const bool plain = stays && bound->holds == nullptr && !bound->may_stay_unwritten;
  if (stays && bound->is_output() && attempt.next_poison.has_value()) {
    bound->poisoned = attempt.next_poison;
    output.large->hash = HashOutput(elements, [&](size_t begin, size_t bytes) {
      std::memset(tensor.storage.mirror + begin, *attempt.next_poison, bytes);
    });
  } else if (!attempt.unhashed || !plain || !in_frame) {
    output.large->hash = HashOutput(elements);
  }
  uint64_t at = 0;
  if (!stays && attempt.result->outputs.empty()) {
    if (!attempt.options->store->Put(elements, &at)) return ReadTensor(key, tensor, Spare());
    output.large->stored_at = at;
  }
  return output;
}

// After the last call: large outputs that only this process has.
bool CaseRunner::StoreLarge(Attempt* attempt) {
  for (OutputTensor& output : attempt->result->outputs) {
    if (!output.large.has_value() || output.in_frame || output.large->stored_at.has_value()) continue;
    uint64_t at = 0;
    if (!attempt->options->store->Put(output.large->elements, &at)) return false;
    output.large->stored_at = at;
  }
  return true;
}

// The outputs of the last call. False when a handle that the library should have filled is
// null or not one of the host's.
bool CaseRunner::Gather(Attempt* attempt, std::vector<OutputTensor>* outputs) {
  for (BoundTensor& bound : attempt->frame->tensors()) {
    if (bound.role != v1::ROLE_INPUT) outputs->push_back(Take(*attempt, bound.key, bound.tensor, &bound));
  }
  std::vector<const diopiTensor*> known;
  if (!attempt->frame->slots().empty()) {
    for (const diopiTensor* tensor : context_.Required()) known.push_back(tensor);
    for (const BoundTensor& bound : attempt->frame->tensors()) known.push_back(&bound.tensor);
  }
  bool filled = true;
  for (const LibrarySlot& slot : attempt->frame->slots()) {
    if (std::find(known.begin(), known.end(), *slot.handle) != known.end()) {
      outputs->push_back(Take(*attempt, slot.key, **slot.handle, nullptr));
      continue;
    }
    if (!slot.judged && *slot.handle == nullptr) continue;
    const bool null = *slot.handle == nullptr;
    *attempt->result->reply.add_failed() =
        Found(null ? v1::Finding::NULL_HANDLE : v1::Finding::FOREIGN_HANDLE).Name(slot.key);
    filled = false;
  }
  return filled;
}

// Whether a thread of the library wrote an output after the call had returned.
void CaseRunner::CheckLateWrites(Attempt* attempt, bool new_threads, const std::vector<OutputTensor>& seen) {
  const int64_t threads = CurrentThreads();
  if (threads <= 1 || device_ != nullptr) return;
  const Clock::time_point until = Clock::now() + kSettle;
  while (new_threads && CurrentThreads() >= threads && Clock::now() < until) {
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
  }
  for (const BoundTensor& bound : attempt->frame->tensors()) {
    if (bound.role == v1::ROLE_INPUT) continue;
    for (const OutputTensor& before : seen) {
      // The agent compares large ones with the hash, later.
      if (before.key != bound.key || (before.large.has_value() && !new_threads)) continue;
      const bool same = before.large.has_value()
                            ? HashOutput(ElementsInPlace(bound.tensor)) == before.large->hash
                            : HoldsElements(bound.tensor, before.data);
      if (same) continue;
      attempt->result->reply.clear_differs();
      *attempt->result->reply.add_differs() = Found(v1::Finding::CHANGED_AFTER_RETURN).Name(bound.key);
    }
  }
}

void CaseRunner::FindLeaks(Attempt* attempt) {
  Inspect(attempt);  // inputs, too, before they are made again
  const double seconds = std::max(attempt->seconds, 1e-9);
  const int calls =
      static_cast<int>(std::clamp(kLeakSeconds / seconds, double{kFewestLeakCalls}, double{kLeakCalls}));
  const MemoryLevel start = CurrentMemoryLevel();
  MemoryLevel level = start;
  for (int i = 0; i < calls; ++i) {
    const bool called = CallOnce(attempt, {kPoison[i % 2]});
    EndCall(*attempt);
    const MemoryLevel now = CurrentMemoryLevel();
    if (!called || !now.Above(level)) return;
    level = now;
  }
  const int64_t bytes = level.Growth(start) / calls;
  attempt->findings.Add(Found(v1::Finding::MEMORY_GROWS).Count(bytes).Of(calls));
}

std::string CaseRunner::Spare() {
  if (spare_.empty()) return {};
  std::string buffer = std::move(spare_.back());
  spare_.pop_back();
  return buffer;
}

void CaseRunner::Recycle(std::vector<OutputTensor> outputs) {
  // In reverse: the next case's first output gets the first buffer, which most often has its size.
  for (size_t i = outputs.size(); i-- > 0;) {
    if (outputs[i].large.has_value() || spare_.size() >= kMaxSpares ||
        outputs[i].data.capacity() > kMaxSpareBytes)
      continue;
    spare_.push_back(std::move(outputs[i].data));
  }
}

// What is allocated so far outlives the calls.
void CaseRunner::Mark(Attempt* attempt) const {
  attempt->host_mark = host_.mark();
  if (device_ != nullptr) attempt->device_mark = device_->mark();
}

void CaseRunner::EndCall(const Attempt& attempt) {
  context_.ReleaseRequired();
  host_.Rewind(attempt.host_mark);
  if (device_ != nullptr) device_->Rewind(attempt.device_mark);
}

}  // namespace diopi::loader
