// A child gets nothing of ours by accident: no open files except those named, default signal handlers, no
// blocked signals. It is waited for by its pidfd, which allows a time limit without SIGCHLD handlers. It does
// not outlive its object.
#include "cases/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace diopi {
namespace {

std::string ErrnoText(int error) {
  return std::error_code(error, std::generic_category()).message();
}

std::vector<char*> Pointers(std::vector<std::string>* strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings->size() + 1);
  for (std::string& text : *strings) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// posix_spawn's two option objects.
struct SpawnOptions {
  SpawnOptions() {
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
  }
  ~SpawnOptions() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnOptions(const SpawnOptions&) = delete;
  SpawnOptions& operator=(const SpawnOptions&) = delete;

  // A child starts with default signal handlers and no blocked signals, whatever this program has set.
  void Fill(const ProcessOptions& options) {
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (options.own_group) {
      posix_spawnattr_setpgroup(&attributes, 0);
      flags |= POSIX_SPAWN_SETPGROUP;
    }
    posix_spawnattr_setflags(&attributes, static_cast<int16_t>(flags));
    int first_unused = STDERR_FILENO + 1;
    for (const auto& [ours, theirs] : options.descriptors) {
      posix_spawn_file_actions_adddup2(&actions, ours, theirs);
      first_unused = std::max(first_unused, theirs + 1);
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, first_unused);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return absl::InternalError(absl::StrCat("pipe: ", ErrnoText(errno)));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

std::string ExitStatus::Text() const {
  return signal != 0 ? absl::StrCat("signal ", signal) : absl::StrCat("exit status ", code);
}

absl::StatusOr<Process> Process::Start(const ProcessOptions& options) {
  if (access(options.command.front().c_str(), X_OK) != 0) {
    return absl::InternalError(absl::StrCat(options.command.front(), ": ", ErrnoText(errno)));
  }
  std::vector<std::string> command = options.command;
  std::vector<std::string> environment = options.environment;
  for (char** entry = environ; *entry != nullptr; ++entry) environment.emplace_back(*entry);
  SpawnOptions spawn;
  spawn.Fill(options);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, command.front().c_str(), &spawn.actions, &spawn.attributes,
                                Pointers(&command).data(), Pointers(&environment).data());
  if (error != 0) {
    return absl::InternalError(
        absl::StrCat(options.command.front(), " cannot be started: ", ErrnoText(error)));
  }
  return Process(pid, Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))));
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), ended_(other.ended_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    Reap();
    pid_ = std::exchange(other.pid_, -1);
    pidfd_ = std::move(other.pidfd_);
    ended_ = other.ended_;
  }
  return *this;
}

Process::~Process() {
  Reap();
}

void Process::Reap() {
  if (pid_ < 0 || ended_.has_value()) return;
  Signal(SIGKILL);
  Wait();
}

void Process::Signal(int signal) const {
  if (pid_ > 0 && !ended_.has_value()) kill(pid_, signal);
}

ExitStatus Process::Wait() {
  if (ended_.has_value()) return *ended_;
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ended_ = WIFSIGNALED(status) ? ExitStatus{0, WTERMSIG(status)} : ExitStatus{WEXITSTATUS(status), 0};
  return *ended_;
}

std::optional<ExitStatus> Process::WaitFor(std::chrono::milliseconds limit) {
  if (ended_.has_value()) return ended_;
  const auto deadline = std::chrono::steady_clock::now() + limit;
  pollfd poll_for{pidfd_.get(), POLLIN, 0};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    const int ready = poll(&poll_for, 1, static_cast<int>(std::max<int64_t>(left.count(), 0)));
    if (ready > 0) return Wait();
    if (ready == 0) return std::nullopt;
  }
}

}  // namespace diopi
