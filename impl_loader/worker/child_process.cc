// posix_spawn, because the agent has threads, of which a fork would copy one and all locks. The child starts
// with default signals and no descriptors except those given. Waiting uses a pidfd; the group is killed
// before waitpid, while the pid cannot belong to another process yet.
#include "impl_loader/worker/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "cases/base/poll_timeout.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kKeepersGrace{5};  // the kernel's time to end processes

std::vector<std::string> Environment(const std::vector<std::string>& extra) {
  std::vector<std::string> all;
  const auto name = [](std::string_view entry) { return entry.substr(0, entry.find('=')); };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const bool replaced = std::any_of(extra.begin(), extra.end(),
                                      [&](const std::string& e) { return name(e) == name(*entry); });
    if (!replaced) all.emplace_back(*entry);
  }
  // The last of several entries with the same name counts.
  for (size_t i = 0; i < extra.size(); ++i) {
    const bool later = std::any_of(extra.begin() + static_cast<ptrdiff_t>(i) + 1, extra.end(),
                                   [&](const std::string& e) { return name(e) == name(extra[i]); });
    if (!later) all.push_back(extra[i]);
  }
  return all;
}

std::vector<char*> Pointers(std::vector<std::string>* strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings->size() + 1);
  for (std::string& s : *strings) pointers.push_back(s.data());
  pointers.push_back(nullptr);
  return pointers;
}

class SpawnSetup {
 public:
  SpawnSetup() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &all);
    posix_spawnattr_setpgroup(&attributes_, 0);
    SetGroup(POSIX_SPAWN_SETSID);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  void Place(int file, int as) {
    if (file < 0) {
      posix_spawn_file_actions_addopen(&actions_, as, "/dev/null", O_RDWR, 0);
    } else {
      posix_spawn_file_actions_adddup2(&actions_, file, as);
    }
  }
  // Leaves the child in the terminal's session.
  void KeepSession() { SetGroup(POSIX_SPAWN_SETPGROUP); }
  void CloseFrom(int first) { posix_spawn_file_actions_addclosefrom_np(&actions_, first); }

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  void SetGroup(int16_t how) {
    posix_spawnattr_setflags(&attributes_,
                             static_cast<int16_t>(how | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }

  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// Makes the child's group the terminal's foreground. glibc can do this in the child, but only since 2.35. A
// child that has read from the background meanwhile was stopped, and continues.
void GiveTerminal(int terminal, pid_t child) {
  sigset_t output, before;
  sigemptyset(&output);
  sigaddset(&output, SIGTTOU);  // which a caller in the background gets for this
  pthread_sigmask(SIG_BLOCK, &output, &before);
  tcsetpgrp(terminal, child);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  kill(-child, SIGCONT);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChildProcess>> ChildProcess::Spawn(const ChildOptions& options) {
  SpawnSetup setup;
  // Move all files out of the way first: one whose number is another's target would be overwritten.
  std::vector<Descriptor> moved;
  for (size_t i = 0; i < options.files.size(); ++i) {
    int file = options.files[i];
    if (file >= 0) {
      moved.emplace_back(fcntl(file, F_DUPFD_CLOEXEC, static_cast<int>(options.files.size())));
      file = moved.back().get();
      if (file < 0)
        return absl::InternalError(absl::StrCat("out of file descriptors: ", std::strerror(errno)));
    }
    setup.Place(file, static_cast<int>(i));
  }
  if (options.terminal >= 0) setup.KeepSession();
  setup.CloseFrom(static_cast<int>(options.files.size()));
  std::vector<std::string> args = options.args;
  args.insert(args.begin(), options.program);
  std::vector<std::string> environment = Environment(options.environment);
  pid_t pid = -1;
  const int error = posix_spawn(&pid, options.program.c_str(), setup.actions(), setup.attributes(),
                                Pointers(&args).data(), Pointers(&environment).data());
  if (error != 0) {
    return absl::InternalError(absl::StrCat("cannot start ", options.program, ": ", std::strerror(error)));
  }
  if (options.terminal >= 0) GiveTerminal(options.files[static_cast<size_t>(options.terminal)], pid);
  Descriptor pidfd(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  std::unique_ptr<ChildProcess> child(new ChildProcess(pid, std::move(pidfd), options.keepers_signal));
  if (!child->pidfd_.valid()) return absl::InternalError("this kernel has no pidfd_open");
  return child;
}

ChildProcess::~ChildProcess() {
  if (reaped_) return;
  KillGroup();
  kill(pid_, SIGKILL);
  Reap();
}

void ChildProcess::KillGroup() const {
  if (keepers_signal_ != 0) {
    kill(pid_, keepers_signal_);
    WaitUntil(Clock::now() + kKeepersGrace);
  }
  kill(-pid_, SIGKILL);
}

bool ChildProcess::WaitUntil(Clock::time_point deadline) const {
  for (;;) {
    pollfd file{pidfd_.get(), POLLIN, 0};
    const int n = poll(&file, 1, MillisecondsUntil(deadline));
    if (n > 0) return true;
    if (n == 0 && Clock::now() >= deadline) return false;
  }
}

bool ChildProcess::Terminate(std::chrono::milliseconds grace) const {
  if (reaped_) return true;
  kill(-pid_, SIGTERM);
  const bool enough = WaitUntil(Clock::now() + grace);
  KillGroup();
  return enough;
}

ChildExit ChildProcess::Reap() {
  if (reaped_) return exit_;
  while (!WaitUntil(Clock::now() + std::chrono::hours(1))) {
  }
  kill(-pid_, SIGKILL);  // what it has started; its pid cannot be reused before waitpid
  int status = 0;
  pid_t got = -1;
  do {
    got = waitpid(pid_, &status, 0);
  } while (got < 0 && errno == EINTR);
  reaped_ = true;
  exit_.known = got == pid_;
  if (exit_.known && WIFSIGNALED(status)) exit_.signal = WTERMSIG(status);
  if (exit_.known && WIFEXITED(status)) exit_.status = WEXITSTATUS(status);
  return exit_;
}

}  // namespace diopi::loader
