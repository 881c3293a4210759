// A worker process runs many cases, because loading a library can take seconds, and is replaced when it dies.
// A process may die of a thread or of damaged memory that an earlier case left behind. Therefore a case
// during which the process died in a suspicious way runs once more in a fresh process (Wait). If that one
// dies too, the case is to blame; otherwise `stray_end` reports what is known of the earlier end. Inputs and
// outputs travel through shared memory, everything else over a socket; the sequence number in each message
// rules out answers to an earlier case.
//
// A library can send anything in the worker's name (answer.h). So the agent itself decides where the
// library's tensors lie in the shared memory, and takes the outputs from there, as it checks their canaries
// and the inputs; what it cannot see it accepts only within the bounds of the case. A message that is no
// answer is a finding about the library, never the end of a run. Every process gets shared memory of its own:
// what has escaped from one must not reach into the next one's cases.
#include "impl_loader/worker/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/case_parts.h"
#include "cases/base/hash.h"
#include "cases/base/status_macros.h"
#include "cases/core/library_checks.h"
#include "cases/findings/finding.h"
#include "impl_loader/adaptor/adaptor.h"
#include "impl_loader/caller/made_inputs.h"
#include "impl_loader/worker/answer.h"
#include "impl_loader/worker/log_pump.h"
#include "impl_loader/worker/shared_frame.h"
#include "impl_loader/worker/shared_memory.h"
#include "impl_loader/worker/worker_process.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxLeftThreads = 8;        // cases named
constexpr size_t kOutputReserve = 64 << 10;  // for small outputs, which are not counted
// Outputs whose size the library decides may take this much and kOutputsOverInputs times the inputs (eight
// int64 indices for each nonzero byte of an eight-dimensional input). Without a limit a worker could make the
// agent run out of memory.
constexpr size_t kFreeOutputs = 256 << 20;
constexpr size_t kOutputsOverInputs = 64;

size_t Align(size_t offset) {
  return (offset + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

// What an argument's tensors take, with the gaps between them.
size_t BytesOf(const v1::Argument& arg) {
  size_t bytes = 0;
  for (const v1::TensorSpec* spec : SpecsOf(arg))
    bytes += Align(static_cast<size_t>(std::max<int64_t>(0, ElementsOf(*spec))) *
                   static_cast<size_t>(ElementSize(spec->dtype())));
  return bytes;
}

// The most that the case's outputs take. `sent`: what the inputs take that are sent to the worker.
size_t OutputBytes(const v1::Case& c, size_t sent) {
  size_t bytes = kOutputReserve;
  size_t inputs = 0;
  bool free = false;
  for (const v1::Argument& arg : c.args()) {
    free = free || arg.role() == v1::ROLE_LIBRARY_OUTPUT;
    if (arg.role() == v1::ROLE_OUTPUT || arg.role() == v1::ROLE_INOUT) bytes += BytesOf(arg);
    if (IsInput(arg)) inputs += BytesOf(arg);
  }
  return free ? bytes + kFreeOutputs + kOutputsOverInputs * std::max(inputs, sent) : bytes;
}

// The agent does not lay out larger frames, which cannot fit in memory: the worker then reports that.
size_t MostFrameBytes() {
  static const size_t bytes =
      static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// How many processes may be killed from outside before they have the case.
constexpr int kLaunches = 3;

constexpr char kEndAsked[] = "the worker was ended";

// In every fourth case (chosen by its id) so many bytes after each tensor show writes that miss the canaries.
// A read and a write of them cost more than the canaries, so not in every case.
constexpr size_t kGapBytes = size_t{16} << 10;
constexpr uint64_t kGapOneIn = 4;

size_t GapOf(const v1::Case& c) {
  return Xxh64(c.id()) % kGapOneIn == 1 ? kGapBytes : 0;
}

// The case's name in messages.
std::string NameOf(const v1::Case& c) {
  return cases::IsLibraryCheck(c) ? c.id() : c.function();
}

// A check that passes need not be repeated in a fresh process.
bool CheckHolds(const CallOutcome& outcome) {
  const v1::Outcome found = outcome.reply.check().outcome();
  return outcome.kind == CallOutcome::Kind::kReplied &&
         (found == v1::OUTCOME_PASS || found == v1::OUTCOME_SKIPPED || found == v1::OUTCOME_NOT_IMPLEMENTED);
}

CallOutcome Ended(CallOutcome::Kind kind, v1::Finding how) {
  CallOutcome outcome;
  outcome.kind = kind;
  outcome.ended = {std::move(how)};
  return outcome;
}

CallOutcome Lost(const std::string& why) {
  return Ended(CallOutcome::Kind::kLost, Found(v1::Finding::WORKER_LOST).Said(why));
}

// What becomes of a case for which no process with the library could be started; nullopt: it is not the
// library's fault.
std::optional<CallOutcome> LoadFailure(const absl::Status& status) {
  if (!IsLibrarysFault(status) && !absl::IsDeadlineExceeded(status)) return std::nullopt;
  return Ended(CallOutcome::Kind::kCrashed,
               Found(v1::Finding::LOAD_FAILED).Said(std::string(status.message())));
}

class WorkerImpl : public Worker {
 public:
  WorkerImpl(WorkerOptions options, Descriptor log, Descriptor end)
      : options_(std::move(options)),
        end_(std::move(end)),
        log_file_(std::move(log)),
        log_(log_file_.valid() ? log_file_.get() : STDERR_FILENO, options_.log_limit,
             log_file_.valid() ? "" : "library: ") {}

  const v1::WorkerHello& hello() const override { return hello_; }
  int pid() const override { return process_ != nullptr ? process_->pid() : -1; }

  absl::Status Launch();
  absl::Status Submit(const v1::Case& c, const TensorMap& inputs, const CallOptions& options) override;
  CallOutcome Wait() override;
  void End() override;

 private:
  bool EndAsked() const;
  absl::Status Greeted();
  size_t UsualBytes() const { return static_cast<size_t>(std::max<int64_t>(0, options_.shared_bytes)); }
  absl::Status MakeRoom(size_t frame_bytes, size_t data_bytes);
  void TakeInputs();
  void LayFrame();
  absl::Status CopyIn();
  absl::Status HandOver();
  void ReapProcess();
  void TakeStrayEnd(const CallOutcome& end, v1::Finding how);
  CallOutcome WaitOnce(std::optional<v1::Finding>* doubt);
  CallOutcome RunAgain();
  CallOutcome TakeReply(v1::WorkerReply reply);

  WorkerOptions options_;
  const Descriptor end_;  // an eventfd that nobody reads: stays readable once End was called
  SharedMemory shared_;
  bool shared_is_new_ = false;  // the process does not have it yet
  size_t used_ = 0;             // bytes of it since it was given back
  size_t frame_at_ = 0;         // where frames lie in it now
  Descriptor log_file_;
  LogPump log_;
  std::unique_ptr<WorkerProcess> process_;
  v1::WorkerHello hello_;
  v1::WorkerCall call_;                   // the case in flight
  const TensorMap* inputs_ = nullptr;     // of the case in flight
  std::vector<InputView> views_;          // of these, and of those that the worker makes
  BlockInputs made_;                      // which the worker makes
  std::unique_ptr<AdaptedCall> adapted_;  // the case as the library gets it; null: as it is
  bool in_place_ = false;                 // its large tensors stay where they are
  std::unique_ptr<SharedFrame> frame_;    // of the case in flight; null: the agent cannot see it
  bool in_flight_ = false;
  std::optional<CallOutcome> settled_;     // what became of it, where no process has it
  int64_t sent_ = 0;                       // cases, to the process now running
  int64_t answered_ = 0;                   // cases that it has answered
  int64_t threads_ = 1;                    // that it had after the last answer
  std::string last_answered_;              // case id
  std::vector<std::string> left_threads_;  // ids of cases after which it had more threads than before
  CallOutcome stray_end_;                  // of the process before; the next answer reports it
  bool ran_cases_ = false;                 // the process now running was handed a case of a function
  bool runs_checks_ = false;               // the last case was a check of the library as a whole
  bool stray_threads_ = false;             // it had more than one thread when it got the case in flight
  uint64_t sequence_ = 0;
  std::chrono::milliseconds limit_{0};  // of the case in flight
  Clock::time_point deadline_;
};

absl::Status WorkerImpl::Launch() {
  process_.reset();
  sent_ = 0;
  answered_ = 0;
  threads_ = 1;
  ran_cases_ = false;
  left_threads_.clear();
  frame_.reset();
  shared_ = SharedMemory();
  if (EndAsked()) return absl::CancelledError(kEndAsked);
  RETURN_IF_ERROR(MakeRoom(0, 0));
  ASSIGN_OR_RETURN(process_, WorkerProcess::Start(options_, &shared_, &log_, end_.get()));
  shared_is_new_ = false;
  return Greeted();
}

absl::Status WorkerImpl::Greeted() {
  const bool first = !hello_.has_sandbox();
  if (!first && hello_.device_memory() != process_->hello().device_memory()) {
    return LibrarysFault("it has device memory in one process, and in another it has none");
  }
  hello_ = process_->hello();
  *hello_.mutable_sandbox()->add_parts() =
      Found(hello_.device_memory() ? v1::Finding::MEMORY_UNSEEN : v1::Finding::MEMORY_SEEN);
  return absl::OkStatus();
}

absl::Status WorkerImpl::Submit(const v1::Case& c, const TensorMap& inputs, const CallOptions& options) {
  if (in_flight_) return absl::FailedPreconditionError("a case is in flight already");
  if (EndAsked()) return absl::CancelledError(kEndAsked);
  call_.Clear();
  call_.set_sequence(++sequence_);
  call_.set_calls(std::max(options.calls, 2));
  call_.set_keep(options.keep);
  call_.set_beside(options.beside);
  call_.set_leaves_last(options.outputs == CallOptions::Outputs::kInPlaceUncompared);
  in_place_ = options.outputs != CallOptions::Outputs::kCopied;
  *call_.mutable_adaptor() = options.adaptor;
  if (options.time.has_value()) *call_.mutable_time() = *options.time;
  limit_ = options.timeout.count() > 0 ? options.timeout : options_.case_timeout;
  *call_.mutable_case_() = c;
  static const TensorMap no_inputs;
  inputs_ = inputs.empty() ? &no_inputs : &inputs;
  TakeInputs();
  // A case never runs in a process that has run a check of the library as a whole. A check may run after
  // cases, which saves loading the library again: one that fails is repeated in a fresh process (Wait).
  const bool after_check = runs_checks_ && !cases::IsLibraryCheck(c);
  runs_checks_ = cases::IsLibraryCheck(c);
  stray_end_ = CallOutcome();
  settled_.reset();
  if (adapted_ != nullptr && !adapted_->not_adaptable().empty() && !call_.has_time()) {
    ReportConversions(*adapted_, &settled_.emplace());
    in_flight_ = true;
    return absl::OkStatus();
  }
  if (process_ != nullptr && process_->Ended()) ReapProcess();
  if (process_ != nullptr && after_check) process_.reset();
  absl::Status sent = process_ != nullptr ? CopyIn() : absl::UnavailableError("no process");
  if (sent.ok()) sent = HandOver();
  // The process died after its last case, or just now; the next one may be killed before it has the case.
  for (int launches = 0; absl::IsUnavailable(sent) && launches < kLaunches; ++launches) {
    if (process_ != nullptr) ReapProcess();
    sent = Launch();
    if (sent.ok()) sent = CopyIn();
    if (sent.ok()) sent = HandOver();
  }
  settled_ = LoadFailure(sent);
  in_flight_ = sent.ok() || settled_.has_value();
  return in_flight_ ? absl::OkStatus() : sent;
}

// Makes sure that the shared memory has this much room. A file's size is final, so more room needs a new
// file; untouched pages take no memory.
absl::Status WorkerImpl::MakeRoom(size_t frame_bytes, size_t data_bytes) {
  const size_t usual_frames = UsualBytes();
  const size_t usual_data = UsualBytes() + kFreeOutputs;
  const bool there = shared_.descriptor() >= 0;
  if (there && frame_bytes <= shared_.frame_bytes() && data_bytes <= shared_.data_bytes()) {
    if (used_ > static_cast<size_t>(options_.kept_bytes)) {
      shared_.Release(usual_frames, usual_data);
      used_ = 0;
    }
    return absl::OkStatus();
  }
  // Untouched memory costs nothing, fresh memory ten times a write: the next case, which may be larger still,
  // finds room in the same file.
  if (options_.memory_bytes == 0 && frame_bytes > usual_frames) frame_bytes = std::bit_ceil(frame_bytes);
  used_ = 0;
  ASSIGN_OR_RETURN(
      SharedMemory memory,
      SharedMemory::Create(std::max({frame_bytes, usual_frames, there ? shared_.frame_bytes() : 0}),
                           std::max({data_bytes, usual_data, there ? shared_.data_bytes() : 0})));
  if (there) shared_.Release(0, 0);  // the process may keep it mapped
  shared_ = std::move(memory);
  shared_is_new_ = true;
  frame_at_ = 0;
  return absl::OkStatus();
}

// What does not fit the case or the adaptor shows later: the frame cannot be laid, and the worker says why.
void WorkerImpl::TakeInputs() {
  frame_.reset();
  adapted_.reset();
  views_.clear();
  made_.clear();
  for (const auto& [key, tensor] : *inputs_) {
    views_.push_back({key, tensor.dtype, tensor.shape, tensor.data.data(), tensor.data.size()});
  }
  if (call_.adaptor().conversion().empty()) {
    const absl::Status made = AddMadeInputs(call_.case_(), &views_, &made_);
    if (!made.ok()) made_.clear();
    return;
  }
  absl::StatusOr<AdaptedCall> adapted = AdaptedCall::Make(call_.case_(), views_, call_.adaptor());
  if (adapted.ok()) adapted_ = std::make_unique<AdaptedCall>(*std::move(adapted));
}

void WorkerImpl::LayFrame() {
  frame_.reset();
  if (cases::IsLibraryCheck(call_.case_()) || hello_.device_memory() || call_.has_time()) return;
  if (adapted_ == nullptr && !call_.adaptor().conversion().empty()) return;
  const v1::Case& called = adapted_ != nullptr ? adapted_->adapted_case() : call_.case_();
  frame_ = SharedFrame::Lay(called, adapted_ != nullptr ? adapted_->inputs() : views_, call_.frame_gap(),
                            shared_.frames() + frame_at_);
  if (frame_ != nullptr && frame_->bytes() > MostFrameBytes()) frame_.reset();
}

absl::Status WorkerImpl::CopyIn() {
  size_t input_bytes = 0;
  for (const auto& [key, tensor] : *inputs_) input_bytes += Align(tensor.data.size());
  const size_t output_bytes = OutputBytes(call_.case_(), input_bytes);
  call_.set_frame_gap(GapOf(call_.case_()));
  LayFrame();
  if (frame_ != nullptr) {
    for (const auto& [key, blocks] : made_) input_bytes += Align(blocks->pool_bytes());
  }
  const size_t frame_bytes = frame_ == nullptr ? 0 : frame_->bytes();
  const std::byte* laid_at = shared_.frames() + frame_at_;
  if (frame_at_ + frame_bytes > shared_.frame_bytes()) frame_at_ = 0;
  RETURN_IF_ERROR(MakeRoom(frame_bytes, input_bytes + output_bytes));
  if (shared_.frames() + frame_at_ != laid_at) LayFrame();
  if (frame_ != nullptr) frame_->Prepare();
  call_.set_frame_offset(kFrameOffset + frame_at_);
  call_.set_frame_bytes(frame_bytes);
  call_.set_frames_end(shared_.data_offset());
  size_t end = shared_.data_offset();
  const auto place = [&](const std::string& key, std::string_view data, v1::ShmTensor* placed) {
    shared_.Write(end, data);
    placed->set_key(key);
    placed->set_offset(end);
    placed->set_nbytes(data.size());
    end = Align(end + data.size());
  };
  call_.clear_inputs();
  for (const auto& [key, tensor] : *inputs_) {
    v1::ShmTensor* placed = call_.add_inputs();
    placed->set_dtype(tensor.dtype);
    for (const int64_t size : tensor.shape) placed->add_shape(size);
    place(key, tensor.data, placed);
  }
  call_.clear_pools();
  if (frame_ != nullptr) {
    for (const auto& [key, blocks] : made_) place(key, blocks->Pool(), call_.add_pools());
  }
  call_.set_output_offset(end);
  call_.set_output_bytes(output_bytes);
  return absl::OkStatus();
}

absl::Status WorkerImpl::HandOver() {
  shared_.ClearCrash();
  log_.StartCase();
  stray_threads_ = sent_ > 0 && process_->Threads() > 1;
  deadline_ = Clock::now() + limit_;
  ++sent_;
  ran_cases_ = ran_cases_ || !runs_checks_;
  call_.set_new_memory(shared_is_new_);
  absl::Status sent = process_->Send(call_, shared_is_new_ ? shared_.descriptor() : -1);
  shared_is_new_ = shared_is_new_ && !sent.ok();
  return sent;
}

// The process has died between two cases.
void WorkerImpl::ReapProcess() {
  CallOutcome end;
  process_->DescribeEnd("", &end);
  TakeStrayEnd(end, Found(v1::Finding::ENDED_BEFORE).Exact(answered_ == 0));
  process_.reset();
}

void WorkerImpl::TakeStrayEnd(const CallOutcome& end, v1::Finding how) {
  if (WasKilled(end)) return;  // no case is to blame
  stray_end_ = end;
  how.mutable_parts()->Add(end.ended.begin(), end.ended.end());
  if (answered_ > 0) {
    how.set_count(answered_);
    how.set_name(last_answered_);
    how.set_said(absl::StrJoin(left_threads_, ", "));
  }
  stray_end_.stray_end = std::move(how);
}

CallOutcome WorkerImpl::Wait() {
  if (!in_flight_) return Lost("no case is in flight");
  in_flight_ = false;
  if (settled_.has_value()) return *std::exchange(settled_, std::nullopt);
  std::optional<v1::Finding> doubt;
  const bool after_cases = runs_checks_ && ran_cases_;
  CallOutcome outcome = WaitOnce(&doubt);
  // Earlier cases may be the reason why the check failed.
  if (after_cases && !CheckHolds(outcome) && !EndAsked()) return RunAgain();
  // They may also have left too little memory for this one.
  if (outcome.reply.out_of_memory() && answered_ > 1 && !EndAsked()) return RunAgain();
  if (doubt.has_value()) {
    TakeStrayEnd(outcome, *std::move(doubt));
    outcome = RunAgain();
  }
  // If the fresh process died too, the case itself is to blame.
  if (outcome.kind == CallOutcome::Kind::kReplied && stray_end_.stray_end.has_value()) {
    outcome.stray_end = std::move(stray_end_.stray_end);
    outcome.signal_name = std::move(stray_end_.signal_name);
    outcome.backtrace = std::move(stray_end_.backtrace);
  }
  return outcome;
}

bool WorkerImpl::EndAsked() const {
  pollfd end{end_.get(), POLLIN, 0};
  return poll(&end, 1, 0) > 0;
}

// Only the thread that drives the process kills it: no other can know whether its pid is still the same
// process.
void WorkerImpl::End() {
  eventfd_write(end_.get(), 1);
}

CallOutcome WorkerImpl::RunAgain() {
  std::optional<v1::Finding> doubt;
  absl::Status again = Launch();
  if (again.ok()) again = CopyIn();
  if (again.ok()) again = HandOver();
  if (again.ok()) return WaitOnce(&doubt);
  std::optional<CallOutcome> failure = LoadFailure(again);
  if (failure.has_value()) return *std::move(failure);
  return Lost(absl::StrCat("the worker could not be started again: ", again.message()));
}

// `doubt`: how an earlier case may have caused the process's end; nullopt: it cannot have.
CallOutcome WorkerImpl::WaitOnce(std::optional<v1::Finding>* doubt) {
  doubt->reset();
  v1::WorkerReply reply;
  CallOutcome outcome;
  switch (process_->Await(deadline_, &reply)) {
    case WorkerProcess::Event::kMessage:
      outcome = TakeReply(std::move(reply));
      if (outcome.kind == CallOutcome::Kind::kReplied) return outcome;
      break;
    case WorkerProcess::Event::kEnded:
      if (process_->DescribeEnd(NameOf(call_.case_()), &outcome)) {
        if (answered_ > 0) *doubt = Found(v1::Finding::ENDED_BY_DAMAGE);
      } else if (stray_threads_) {
        *doubt = Found(v1::Finding::ENDED_BY_THREAD).Word("ended_process");
      }
      break;
    case WorkerProcess::Event::kDeadline:
      process_->DescribeTimeout(NameOf(call_.case_()), limit_, &outcome);
      break;
    case WorkerProcess::Event::kNonsense:
      outcome = Ended(CallOutcome::Kind::kNotAnAnswer,
                      Found(v1::Finding::NOT_AN_ANSWER).Said("it is not a message"));
      break;
    case WorkerProcess::Event::kEndAsked:
      process_->Kill();
      outcome = Lost(kEndAsked);
      break;
  }
  if (outcome.kind == CallOutcome::Kind::kNotAnAnswer && answered_ > 0) {
    *doubt = Found(v1::Finding::ENDED_BY_THREAD).Word("forged_answer");
  }
  process_.reset();
  return outcome;
}

CallOutcome WorkerImpl::TakeReply(v1::WorkerReply reply) {
  const AskedCall asked{&call_,   limit_,       hello_.device_memory(), options_.memory_bytes > 0,
                        &shared_, frame_.get(), adapted_.get(),         in_place_};
  CallOutcome outcome = TakeAnswer(asked, std::move(reply));
  if (outcome.kind != CallOutcome::Kind::kReplied) return outcome;
  used_ = std::max<size_t>(used_, call_.frame_bytes());
  for (const v1::ShmTensor& placed : outcome.reply.outputs()) {
    if (!placed.in_frame()) used_ = std::max<size_t>(used_, call_.frame_bytes() + placed.nbytes());
  }
  if (in_place_ && frame_ != nullptr) {
    outcome.made_inputs = &made_;
    if (outcome.reply.findings().empty()) outcome.input_views = frame_->MadeInputs();
  }
  ++answered_;
  last_answered_ = call_.case_().id();
  const int64_t threads = process_->Threads();
  if (threads > threads_) {
    if (left_threads_.size() < kMaxLeftThreads) left_threads_.push_back(last_answered_);
    frame_at_ += call_.frame_bytes();  // a thread may still be writing to the old place
  }
  threads_ = threads;
  // A device whose stream has failed stays broken for its process; ending the process also ends forked
  // copies, and frees the memory of a device.
  const v1::WorkerReply& answer = outcome.reply;
  if (answer.status() == v1::WorkerReply::SYNC_FAILED || answer.forked() != 0 || answer.out_of_memory()) {
    process_.reset();
  }
  return outcome;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Worker>> Worker::Start(WorkerOptions options) {
  Descriptor log;
  if (!options.log_path.empty()) {
    log = Descriptor(open(options.log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (!log.valid()) {
      return absl::InternalError(absl::StrCat("cannot write ", options.log_path, ": ", strerror(errno)));
    }
  }
  Descriptor end(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!end.valid()) return absl::InternalError(absl::StrCat("no eventfd: ", strerror(errno)));
  auto worker = std::make_unique<WorkerImpl>(std::move(options), std::move(log), std::move(end));
  RETURN_IF_ERROR(worker->Launch());
  return std::unique_ptr<Worker>(std::move(worker));
}

}  // namespace diopi::loader
