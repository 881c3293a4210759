// A worker greets twice. Nothing of the library has run before the first hello, so its report on the sandbox
// is reliable, and a process that ends earlier is our fault; one that ends later is the library's. While
// anything is awaited, the channel, the process, its output and the request to end are watched together, and
// the clock alone decides the deadline: a library that prints without end cannot delay it.
#include "impl_loader/worker/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/poll_timeout.h"
#include "cases/base/status_macros.h"
#include "cases/findings/finding.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/caller/text.h"
#include "impl_loader/worker/answer.h"
#include "impl_loader/worker/symbolize.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// A message from the worker contains texts of limited length and names the case's outputs and arguments a few
// times, but no tensors.
constexpr size_t kTextBytes = 1 << 20;
constexpr size_t kReplyOverCall = 4;

std::string DefaultProgram() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path beside = self.parent_path() / "diopi-worker";
  if (std::filesystem::exists(beside, error)) return beside;
  const std::filesystem::path bin = self.parent_path().parent_path() / "bin" / "diopi-worker";
  return std::filesystem::exists(bin, error) ? bin : beside;
}

std::string SignalName(int signal) {
  const char* name = sigabbrev_np(signal);
  return name == nullptr ? absl::StrCat("signal ", signal) : absl::StrCat("SIG", name);
}

std::vector<std::string> WorkerEnvironment(const WorkerOptions& options, const std::string& own_folder) {
  // Without malloc's thread cache every byte is accounted for, so that leaks can be found. The two thresholds
  // keep a case's memory in the process from call to call, as fresh pages cost more than most kernels. The
  // library must not see the agent's token. The rest is for sanitizer builds of the worker: the crash handler
  // is ours, and libraries may leak.
  std::vector<std::string> environment = {
      "GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.mmap_threshold=16777216:"
      "glibc.malloc.trim_threshold=67108864",
      "DIOPI_TOKEN=",
      "ASAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:"
      "detect_leaks=0:use_sigaltstack=0:allocator_may_return_null=1",
      "TSAN_OPTIONS=handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:"
      "report_bugs=0:use_sigaltstack=0"};
  if (!own_folder.empty()) {
    environment.insert(environment.end(), {"TMPDIR=" + own_folder, "HOME=" + own_folder});
  }
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  return environment;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const WorkerOptions& options,
                                                                    SharedMemory* shared, LogPump* log,
                                                                    int end) {
  std::unique_ptr<WorkerProcess> worker(new WorkerProcess(options, shared, log, end));
  RETURN_IF_ERROR(worker->Spawn(options));
  RETURN_IF_ERROR(worker->Greet(options));
  return worker;
}

WorkerProcess::~WorkerProcess() {
  if (process_ != nullptr) {
    channel_ = Channel();  // asks the worker to end
    if (!process_->WaitUntil(Clock::now() + grace_)) process_->Terminate(grace_);
    log_->Close();
    process_->Reap();
  }
}

absl::Status WorkerProcess::Spawn(const WorkerOptions& options) {
  shared_->ClearCrash();
  log_->StartCase();
  load_deadline_ = Clock::now() + options.load_timeout;
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return absl::InternalError(absl::StrCat("no socket pair: ", strerror(errno)));
  }
  channel_ = Channel(Descriptor(ends[0]));
  channel_.TakeAtMost(kTextBytes);
  const Descriptor theirs(ends[1]);
  const Descriptor output = log_->Open();
  ChildOptions child;
  child.program = options.worker_program.empty() ? DefaultProgram() : options.worker_program;
  // Under a debugger the worker's parent is the debugger.
  const bool debugged = !options.debugger.empty();
  child.args = {"--impl", options.impl_path, "--parent", absl::StrCat(debugged ? 0 : getpid())};
  if (!options.device_lib.empty()) {
    child.args.emplace_back("--device-lib");
    child.args.push_back(options.device_lib);
  }
  if (!options.impl_identity.empty()) {
    child.args.insert(child.args.end(), {"--identity", options.impl_identity});
  }
  child.args.insert(child.args.end(), {"--sandbox", options.sandbox});
  if (options.memory_bytes > 0) {
    child.args.insert(child.args.end(), {"--memory", absl::StrCat(options.memory_bytes)});
  }
  if (options.device_bytes > 0) {
    child.args.insert(child.args.end(), {"--device-bytes", absl::StrCat(options.device_bytes)});
  }
  std::string own_folder;
  if (options.sandbox == "strict") {
    ASSIGN_OR_RETURN(folder_, TemporaryFolder::Make());
    own_folder = *folder_ / "own";
    std::error_code error;
    std::filesystem::create_directory(own_folder, error);
    child.args.insert(child.args.end(), {"--own-folder", own_folder});
  }
  child.environment = WorkerEnvironment(options, own_folder);
  child.files = {-1, output.get(), output.get(), theirs.get(), shared_->descriptor()};
  // A debugger must start the worker itself, not a keeper.
  const bool kept = !debugged && options.sandbox != "off";
  Descriptor teller;
  if (kept) {
    if (pipe2(ends, O_CLOEXEC) != 0) return absl::InternalError(absl::StrCat("no pipe: ", strerror(errno)));
    pid_pipe_ = Descriptor(ends[0]);
    teller = Descriptor(ends[1]);
    child.args.insert(child.args.end(), {"--keeper", "yes"});
    for (const std::string& path : options.hidden) child.args.insert(child.args.end(), {"--hide", path});
    child.files.push_back(teller.get());
    child.keepers_signal = kKeepersSignal;
  }
  if (debugged) {
    child.args.insert(child.args.begin(), child.program);
    child.args.insert(child.args.begin(), options.debugger.begin() + 1, options.debugger.end());
    child.program = options.debugger.front();
    child.files = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, theirs.get(), shared_->descriptor()};
    child.terminal = isatty(STDIN_FILENO) == 1 ? STDIN_FILENO : -1;
  }
  ASSIGN_OR_RETURN(process_, ChildProcess::Spawn(child));
  pid_ = process_->pid();
  teller.Close();
  if (kept) LearnPid();
  return absl::OkStatus();
}

// Reads the pid from the keeper, which writes it before any process that could write there runs vendor's
// code. If nothing comes, Greet finds out why; until then the pipe stays open, for a late keeper that found
// no reader would end by SIGPIPE and hide the reason.
void WorkerProcess::LearnPid() {
  pollfd files[] = {{pid_pipe_.get(), POLLIN, 0}, {process_->descriptor(), POLLIN, 0}, {end_, POLLIN, 0}};
  if (poll(files, 3, MillisecondsUntil(load_deadline_)) <= 0 || (files[0].revents & POLLIN) == 0) return;
  int pid = -1;
  if (read(pid_pipe_.get(), &pid, sizeof(pid)) != sizeof(pid)) return;
  pid_ = pid;
  worker_ = Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

bool WorkerProcess::Ended() const {
  pollfd worker{worker_.get(), POLLIN, 0};
  return process_->WaitUntil({}) || (worker_.valid() && poll(&worker, 1, 0) > 0);
}

absl::Status WorkerProcess::Greet(const WorkerOptions& options) {
  v1::WorkerHello sandboxed;
  RETURN_IF_ERROR(AwaitHello(options, /*loading=*/false, &sandboxed));
  RETURN_IF_ERROR(AwaitHello(options, /*loading=*/true, &hello_));
  pid_pipe_.Close();
  *hello_.mutable_sandbox() = sandboxed.sandbox();
  return absl::OkStatus();
}

absl::Status WorkerProcess::AwaitHello(const WorkerOptions& options, bool loading, v1::WorkerHello* hello) {
  CallOutcome outcome;
  switch (Await(load_deadline_, hello)) {
    case Event::kMessage:
      if (absl::Status s = CheckHello(options.device_bytes, hello); !s.ok()) {
        return LibrarysFault(
            absl::StrCat("the library answers in the worker's name while it is loaded: ", s.message()));
      }
      if (hello->load_error().empty()) return absl::OkStatus();
      return absl::FailedPreconditionError(hello->load_error());
    case Event::kEnded:
      DescribeEnd("loading the library", &outcome);
      if (WasKilled(outcome)) return absl::UnavailableError(outcome.Text());
      // Nothing of the library has run before the first hello. Killing the first process of the worker's PID
      // namespace, for one, keeps the keeper from starting the worker.
      if (!loading) {
        return absl::UnavailableError(absl::StrCat("the worker ended with exit status ", outcome.exit_status,
                                                   " before it loaded the library"));
      }
      return LibrarysFault(
          absl::StrCat(outcome.Text(), outcome.backtrace.empty() ? "" : "\n", outcome.backtrace));
    case Event::kDeadline:
      DescribeTimeout("loading the library", options.load_timeout, &outcome);
      return absl::DeadlineExceededError(outcome.Text());
    case Event::kEndAsked:
      Kill();
      return absl::CancelledError("the worker was ended while it loaded the library");
    case Event::kNonsense:
      break;
  }
  return absl::InternalError("the program started as diopi-worker does not speak its protocol");
}

absl::Status WorkerProcess::Send(const v1::WorkerCall& call, int memory) {
  channel_.TakeAtMost(kTextBytes + kReplyOverCall * call.ByteSizeLong());
  return channel_.Send(call, memory);
}

WorkerProcess::Event WorkerProcess::Await(Clock::time_point deadline,
                                          google::protobuf::MessageLite* message) {
  bool channel_open = true;
  bool looked = false;  // at what had been read before
  for (;;) {
    // poll() ignores a descriptor of -1.
    pollfd files[] = {{channel_open ? channel_.descriptor() : -1, POLLIN, 0},
                      {process_->descriptor(), POLLIN, 0},
                      {log_->descriptor(), POLLIN, 0},
                      {end_, POLLIN, 0}};
    const bool pending = channel_open && channel_.HasPending() && !looked;
    const int n = poll(files, 4, pending ? 0 : MillisecondsUntil(deadline));
    if (n > 0 && files[3].revents != 0) return Event::kEndAsked;
    if (n > 0 && files[2].revents != 0) log_->Drain();
    if (pending || (n > 0 && files[0].revents != 0)) {
      looked = true;
      bool complete = false;
      const absl::Status status = channel_.Poll(message, &complete);
      if (complete) return Event::kMessage;
      if (absl::IsDataLoss(status)) return Event::kNonsense;
      channel_open = status.ok();
    }
    if (n > 0 && files[1].revents != 0 && (files[0].revents & POLLIN) == 0) {
      log_->Drain();
      return Event::kEnded;
    }
    // The clock decides, not poll: a library that prints without end must not delay the deadline.
    if (Clock::now() >= deadline) return Event::kDeadline;
  }
}

int64_t WorkerProcess::Threads() const {
  struct stat task {};
  if (stat(absl::StrCat("/proc/", pid(), "/task").c_str(), &task) != 0 || task.st_nlink < 3) return 1;
  return static_cast<int64_t>(task.st_nlink) - 2;
}

void WorkerProcess::AddLastWords(CallOutcome* outcome) const {
  std::string words = PrintableText(log_->tail());
  if (!words.empty()) outcome->ended.push_back(Found(v1::Finding::PRINTED).Said(std::move(words)));
}

std::string CallOutcome::Text() const {
  return FindingsText({ended.begin(), ended.end()});
}

bool WasKilled(const CallOutcome& end) {
  return end.signal_name == "SIGKILL" || end.signal_name == "SIGTERM";
}

bool WorkerProcess::DescribeEnd(const std::string& during, CallOutcome* outcome) {
  process_->Terminate(grace_);
  const ChildExit exit = process_->Reap();
  log_->Drain();
  const SharedMemory::Crash crash = shared_->ReadCrash();
  // The report is more reliable than the exit status: a crash handler that got stuck ends by SIGALRM.
  const bool reported = exit.signal != 0 && crash.signal != 0;
  if (exit.known && exit.signal == 0) {
    outcome->kind = CallOutcome::Kind::kExited;
    outcome->exit_status = exit.status;
    outcome->ended.push_back(Found(v1::Finding::EXITED).Name(during).Got(absl::StrCat(exit.status)));
    AddLastWords(outcome);
    return false;
  }
  outcome->kind = CallOutcome::Kind::kCrashed;
  outcome->signal_name = SignalName(reported ? crash.signal : exit.signal);
  if (reported) outcome->backtrace = Symbolize(crash.pc, crash.frames, crash.maps);
  const bool killed = !reported && exit.signal == SIGKILL;
  v1::Finding& ended = outcome->ended.emplace_back();
  ended =
      Found(killed ? v1::Finding::KILLED : v1::Finding::SIGNALLED).Name(during).Word(outcome->signal_name);
  if (reported && (crash.signal == SIGSEGV || crash.signal == SIGBUS))
    ended.set_got(absl::StrCat("0x", absl::Hex(crash.address)));
  ended.set_exact(reported && !crash.main_thread);
  AddLastWords(outcome);
  CleanEnd(outcome);
  return reported && crash.main_thread;
}

void WorkerProcess::DescribeTimeout(const std::string& during, milliseconds limit, CallOutcome* outcome) {
  outcome->backtrace = StacksOfThreads(pid());
  const bool polite = process_->Terminate(grace_);
  process_->Reap();
  log_->Drain();
  const SharedMemory::Crash crash = shared_->ReadCrash();
  if (outcome->backtrace.empty() && crash.signal == SIGTERM) {
    outcome->backtrace = Symbolize(crash.pc, crash.frames, crash.maps);
  }
  outcome->kind = CallOutcome::Kind::kTimedOut;
  const double seconds = static_cast<double>(limit.count()) / 1000;
  outcome->ended.push_back(
      Found(v1::Finding::TIMED_OUT).Name(during).Limit(absl::StrCat(seconds)).Exact(!polite));
  AddLastWords(outcome);
  CleanEnd(outcome);
}

}  // namespace diopi::loader
