// A worker process runs many cases, because loading a library can take seconds, and is replaced when it dies.
// That makes blame a question: a process may die of a thread or of memory that an earlier case left behind.
// Therefore a case during which the process died in a suspicious way is run once more in a fresh process
// (Wait). If that one dies too, the case is to blame; otherwise the earlier end is reported as `stray_end`
// with what is known of it. Inputs and outputs travel through shared memory, everything else over a socket;
// the sequence number in each message rules out answers to an earlier case.
#include "impl_loader/worker/worker.h"

#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/core/library_checks.h"
#include "impl_loader/worker/log_pump.h"
#include "impl_loader/worker/shared_memory.h"
#include "impl_loader/worker/worker_process.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxLeftThreads = 8;        // cases named
constexpr size_t kOutputReserve = 64 << 10;  // for outputs whose size the library decides
// Outputs whose size the library decides take no more than this and kOutputsOverInputs times the inputs (the
// indices of what is not zero take 64 bytes for each byte of eight dimensions). An agent that believed a
// worker would run out of memory.
constexpr uint64_t kFreeOutputs = 64 << 20;
constexpr uint64_t kOutputsOverInputs = 64;

size_t Align(size_t offset) {
  return (offset + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

// Room for the outputs whose size the case says. The worker makes more where that is too little.
size_t OutputBytes(const v1::Case& c) {
  size_t bytes = kOutputReserve;
  const auto add = [&](const v1::TensorSpec& spec) {
    const std::vector<int64_t> shape(spec.shape().begin(), spec.shape().end());
    bytes += Align(static_cast<size_t>(std::max<int64_t>(0, NumElements(shape))) *
                   static_cast<size_t>(ElementSize(spec.dtype())));
  };
  for (const v1::Argument& arg : c.args()) {
    if (arg.role() != v1::ROLE_OUTPUT && arg.role() != v1::ROLE_INOUT) continue;
    if (arg.value_case() == v1::Argument::kTensor) add(arg.tensor());
    for (const v1::TensorSpec& spec : arg.tensors().tensors()) add(spec);
  }
  return bytes;
}

constexpr char kEndAsked[] = "the worker was ended";

// What a message calls it.
std::string NameOf(const v1::Case& c) {
  return cases::IsLibraryCheck(c) ? c.id() : c.function();
}

// A check that finds nothing wrong finds nothing wrong in a fresh process either.
bool CheckHolds(const CallOutcome& outcome) {
  const v1::Outcome found = outcome.reply.check().outcome();
  return outcome.kind == CallOutcome::Kind::kReplied &&
         (found == v1::OUTCOME_PASS || found == v1::OUTCOME_SKIPPED || found == v1::OUTCOME_NOT_IMPLEMENTED);
}

CallOutcome Lost(const std::string& text) {
  CallOutcome outcome;
  outcome.kind = CallOutcome::Kind::kLost;
  outcome.text = text;
  return outcome;
}

class WorkerImpl : public Worker {
 public:
  WorkerImpl(WorkerOptions options, SharedMemory shared, Descriptor log, Descriptor end)
      : options_(std::move(options)),
        end_(std::move(end)),
        shared_(std::move(shared)),
        log_file_(std::move(log)),
        log_(log_file_.valid() ? log_file_.get() : STDERR_FILENO, options_.log_limit) {}

  const v1::WorkerHello& hello() const override { return hello_; }
  int pid() const override { return process_ != nullptr ? process_->pid() : -1; }

  absl::Status Launch();
  absl::Status Submit(const v1::Case& c, const TensorMap& inputs, const CallOptions& options) override;
  CallOutcome Wait() override;
  void End() override;

 private:
  bool EndAsked() const;
  absl::Status CopyIn(const v1::Case& c, const TensorMap& inputs);
  absl::Status HandOver();
  void ReapProcess();
  void TakeStrayEnd(const CallOutcome& end, const std::string& what);
  std::string RanBefore() const;
  CallOutcome WaitOnce(std::string* doubt);
  CallOutcome RunAgain();
  CallOutcome TakeReply(v1::WorkerReply reply);

  WorkerOptions options_;
  const Descriptor end_;  // an eventfd: readable from End on, as nobody reads it
  SharedMemory shared_;
  Descriptor log_file_;
  LogPump log_;
  std::unique_ptr<WorkerProcess> process_;
  v1::WorkerHello hello_;
  v1::WorkerCall call_;  // the case in flight
  bool in_flight_ = false;
  int64_t handed_over_ = 0;                // cases, to the process now running
  int64_t answered_ = 0;                   // of these
  int64_t threads_ = 1;                    // it had after the last of them
  std::string last_answered_;              // case id
  std::vector<std::string> left_threads_;  // ids of cases after which it had more threads than before
  CallOutcome stray_end_;                  // of the process before, to be told with the next answer
  bool ran_cases_ = false;                 // the process now running was handed a case of a function
  bool runs_checks_ = false;               // the last case was a check of the library as a whole
  bool stray_threads_ = false;             // it had more than one thread when it got the case in flight
  uint64_t sequence_ = 0;
  std::chrono::milliseconds limit_{0};  // of the case in flight
  Clock::time_point deadline_;
};

absl::Status WorkerImpl::Launch() {
  process_.reset();
  handed_over_ = 0;
  answered_ = 0;
  threads_ = 1;
  ran_cases_ = false;
  left_threads_.clear();
  if (EndAsked()) return absl::CancelledError(kEndAsked);
  absl::StatusOr<std::unique_ptr<WorkerProcess>> process =
      WorkerProcess::Start(options_, &shared_, &log_, end_.get());
  if (!process.ok()) return process.status();
  process_ = *std::move(process);
  hello_ = process_->hello();
  return absl::OkStatus();
}

absl::Status WorkerImpl::Submit(const v1::Case& c, const TensorMap& inputs, const CallOptions& options) {
  if (in_flight_) return absl::FailedPreconditionError("a case is in flight already");
  if (EndAsked()) return absl::CancelledError(kEndAsked);
  call_.Clear();
  call_.set_sequence(++sequence_);
  call_.set_calls(std::max(options.calls, 2));
  *call_.mutable_adaptor() = options.adaptor;
  limit_ = options.timeout.count() > 0 ? options.timeout : options_.case_timeout;
  *call_.mutable_case_() = c;
  if (absl::Status s = CopyIn(c, inputs); !s.ok()) return s;
  // A case never finds what a check of the library as a whole has left. The other way round a library is not
  // loaded again for every check: one that fails is repeated in a fresh process (Wait).
  const bool after_check = runs_checks_ && !cases::IsLibraryCheck(c);
  runs_checks_ = cases::IsLibraryCheck(c);
  stray_end_ = CallOutcome();
  if (process_ != nullptr && process_->Ended()) ReapProcess();
  if (process_ != nullptr && after_check) process_.reset();
  absl::Status handed = process_ != nullptr ? HandOver() : absl::UnavailableError("no process");
  if (absl::IsUnavailable(handed)) {  // it has died since its last case, or just now
    if (process_ != nullptr) ReapProcess();
    if (absl::Status s = Launch(); !s.ok()) return s;
    handed = HandOver();
  }
  in_flight_ = handed.ok();
  return handed;
}

absl::Status WorkerImpl::CopyIn(const v1::Case& c, const TensorMap& inputs) {
  size_t end = kDataOffset;
  for (const auto& [key, tensor] : inputs) {
    v1::ShmTensor* placed = call_.add_inputs();
    placed->set_key(key);
    placed->set_dtype(tensor.dtype);
    for (const int64_t size : tensor.shape) placed->add_shape(size);
    placed->set_offset(end);
    placed->set_nbytes(tensor.data.size());
    end = Align(end + tensor.data.size());
  }
  call_.set_output_offset(end);
  call_.set_output_bytes(OutputBytes(c));
  const size_t usual = kDataOffset + static_cast<size_t>(std::max<int64_t>(0, options_.shared_bytes));
  if (end <= usual) shared_.Release(usual);  // what larger cases have used
  if (absl::Status s = shared_.Grow(end + call_.output_bytes()); !s.ok()) return s;
  auto placed = call_.inputs().begin();
  for (const auto& [key, tensor] : inputs) shared_.Write((placed++)->offset(), tensor.data);
  return absl::OkStatus();
}

absl::Status WorkerImpl::HandOver() {
  shared_.ClearCrash();
  log_.StartCase();
  stray_threads_ = handed_over_ > 0 && process_->Threads() > 1;
  deadline_ = Clock::now() + limit_;
  ++handed_over_;
  ran_cases_ = ran_cases_ || !runs_checks_;
  return process_->Send(call_);
}

// The process has died between two cases.
void WorkerImpl::ReapProcess() {
  CallOutcome end;
  process_->DescribeEnd("what ran between two cases", &end);
  TakeStrayEnd(end, absl::StrCat(answered_ > 0 ? "a thread that an earlier case left running"
                                               : "a thread that was started when the library was loaded",
                                 " ended the process before this case began"));
  process_.reset();
}

// Nothing to tell of a process that somebody else killed.
void WorkerImpl::TakeStrayEnd(const CallOutcome& end, const std::string& what) {
  if (end.signal_name == "SIGKILL" || end.signal_name == "SIGTERM") return;
  stray_end_ = end;
  stray_end_.stray_end = absl::StrCat(what, " (", end.text, "). ", RanBefore());
}

std::string WorkerImpl::RanBefore() const {
  if (answered_ == 0) return "No case had run before it";
  std::string cases = answered_ == 1
                          ? absl::StrCat("Before it ran ", last_answered_)
                          : absl::StrCat("Before it ran ", answered_, " cases, the last ", last_answered_);
  if (left_threads_.empty()) return cases;
  return absl::StrCat(cases, "; there were more threads than before after ",
                      absl::StrJoin(left_threads_, ", "));
}

CallOutcome WorkerImpl::Wait() {
  if (!in_flight_) return Lost("no case is in flight");
  in_flight_ = false;
  std::string doubt;
  const bool after_cases = runs_checks_ && ran_cases_;
  CallOutcome outcome = WaitOnce(&doubt);
  // Cases may have left something that is none of the check's business.
  if (after_cases && !CheckHolds(outcome) && !EndAsked()) return RunAgain();
  if (!doubt.empty()) {
    TakeStrayEnd(outcome, doubt);
    outcome = RunAgain();
  }
  // What dies in a fresh process too has nobody else to blame.
  if (outcome.kind == CallOutcome::Kind::kReplied && !stray_end_.stray_end.empty()) {
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

// The thread that drives the process kills it: nobody else can know that its number is still its own.
void WorkerImpl::End() {
  eventfd_write(end_.get(), 1);
}

CallOutcome WorkerImpl::RunAgain() {
  std::string doubt;
  absl::Status again = Launch();
  if (again.ok()) again = HandOver();
  if (!again.ok()) {
    return Lost(absl::StrCat("the worker could not be started again: ", again.message()));
  }
  return WaitOnce(&doubt);
}

// `doubt`: why the process may have ended because of what an earlier case left in it; empty when it cannot.
CallOutcome WorkerImpl::WaitOnce(std::string* doubt) {
  doubt->clear();
  v1::WorkerReply reply;
  CallOutcome outcome;
  switch (process_->Await(deadline_, &reply)) {
    case WorkerProcess::Event::kMessage:
      return TakeReply(std::move(reply));
    case WorkerProcess::Event::kEnded:
      if (process_->DescribeEnd(NameOf(call_.case_()), &outcome)) {
        if (answered_ > 0)
          *doubt =
              "the process ended while this case ran, perhaps because of memory that an earlier case had "
              "damaged";
      } else if (stray_threads_) {
        *doubt = "a thread that an earlier case left running ended the process while this case ran";
      }
      break;
    case WorkerProcess::Event::kDeadline:
      process_->DescribeTimeout(NameOf(call_.case_()), limit_, &outcome);
      break;
    case WorkerProcess::Event::kNonsense:
      outcome = Lost("the worker sent what is no message");
      break;
    case WorkerProcess::Event::kEndAsked:
      process_->Kill();
      outcome = Lost(kEndAsked);
      break;
  }
  process_.reset();
  return outcome;
}

CallOutcome WorkerImpl::TakeReply(v1::WorkerReply reply) {
  if (reply.sequence() != call_.sequence()) {
    process_.reset();
    return Lost("the worker answered another case than it was given");
  }
  CallOutcome outcome;
  uint64_t room =
      call_.output_bytes() + kFreeOutputs + kOutputsOverInputs * (call_.output_offset() - kDataOffset);
  for (const v1::ShmTensor& placed : reply.outputs()) {
    if (placed.nbytes() > room) {
      process_.reset();
      return Lost(absl::StrCat("the worker announced an output of ", placed.nbytes(),
                               " bytes, more than the case allows"));
    }
    room -= placed.nbytes();
    absl::StatusOr<HostTensor> tensor = shared_.Read(placed, call_.output_offset());
    if (!tensor.ok()) {
      process_.reset();
      return Lost(std::string(tensor.status().message()));
    }
    outcome.outputs[placed.key()] = *std::move(tensor);
  }
  ++answered_;
  last_answered_ = call_.case_().id();
  const int64_t threads = process_->Threads();
  if (threads > threads_ && left_threads_.size() < kMaxLeftThreads) left_threads_.push_back(last_answered_);
  threads_ = threads;
  // A device whose stream has failed stays broken in that process; forked copies end with it.
  if (reply.status() == v1::WorkerReply::SYNC_FAILED || !reply.forked().empty()) process_.reset();
  outcome.reply = std::move(reply);
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
  absl::StatusOr<SharedMemory> shared =
      SharedMemory::Create(kDataOffset + static_cast<size_t>(std::max<int64_t>(0, options.shared_bytes)));
  if (!shared.ok()) return shared.status();
  auto worker =
      std::make_unique<WorkerImpl>(std::move(options), *std::move(shared), std::move(log), std::move(end));
  if (absl::Status s = worker->Launch(); !s.ok()) return s;
  return std::unique_ptr<Worker>(std::move(worker));
}

}  // namespace diopi::loader
