#include "impl_loader/caller/fork_guard.h"

#include <dirent.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <sstream>

#include "absl/strings/str_cat.h"

namespace diopi::loader {
namespace {

using Clock = std::chrono::steady_clock;

// How long a child may still run after the call before it counts as left behind.
constexpr std::chrono::milliseconds kForkSettle{50};

struct ProcessState {
  char state = 'X';
  pid_t parent = 0;
  pid_t group = 0;
};

// 'X' for a process that is gone.
ProcessState ReadState(pid_t pid) {
  ProcessState process;
  std::string text;
  std::getline(std::ifstream(absl::StrCat("/proc/", pid, "/stat")), text);
  // The program's name, in parentheses, may contain anything.
  const size_t name_end = text.rfind(')');
  if (name_end != std::string::npos) {
    std::istringstream(text.substr(name_end + 1)) >> process.state >> process.parent >> process.group;
  }
  return process;
}

bool RunsThisProgram(pid_t pid) {
  struct stat ours {};
  struct stat theirs {};
  if (stat("/proc/self/exe", &ours) != 0) return true;
  if (stat(absl::StrCat("/proc/", pid, "/exe").c_str(), &theirs) != 0) return false;
  return ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

pid_t ListedAs() {
  char name[16] = "";
  const ssize_t length = readlink("/proc/self", name, sizeof(name) - 1);
  return length <= 0 ? getpid() : static_cast<pid_t>(std::strtol(name, nullptr, 10));
}

bool HasChildren() {
  siginfo_t info{};
  return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 || errno != ECHILD;
}

std::atomic<uint32_t>* SharedCounter() {
  void* page =
      mmap(nullptr, sizeof(std::atomic<uint32_t>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? nullptr : new (page) std::atomic<uint32_t>(0);
}

}  // namespace

ForkGuard::ForkGuard() : process_(getpid()), listed_(ListedAs()), returned_(SharedCounter()) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (getpgrp() != getpid()) accepted_ = RunningCopies();  // of our own, in whose group this process is
}

ForkGuard::~ForkGuard() {
  if (returned_ != nullptr) munmap(returned_, sizeof(*returned_));
}

void ForkGuard::EndIfCopy() const {
  if (getpid() == process_) return;
  if (returned_ != nullptr) returned_->fetch_add(1);
  _exit(0);
}

std::set<pid_t> ForkGuard::RunningCopies() const {
  std::set<pid_t> copies;
  const pid_t group = ReadState(listed_).group;
  const std::unique_ptr<DIR, int (*)(DIR*)> processes(opendir("/proc"), closedir);
  if (processes == nullptr) return copies;
  while (const dirent* entry = readdir(processes.get())) {
    const auto pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid <= 0 || pid == listed_ || accepted_.contains(pid)) continue;
    const ProcessState process = ReadState(pid);
    const bool ours = process.parent == listed_ || process.group == group;
    const bool runs = process.state != 'Z' && process.state != 'X';
    if (ours && runs && RunsThisProgram(pid)) copies.insert(pid);
  }
  return copies;
}

void ForkGuard::AcceptCopies() {
  if (HasChildren()) accepted_.merge(RunningCopies());
  if (returned_ != nullptr) returned_before_ = returned_->load();
}

v1::Finding::Code ForkGuard::NewCopies() {
  const auto returned = [this] { return returned_ == nullptr ? returned_before_ : returned_->load(); };
  std::set<pid_t> running;
  if (HasChildren()) {
    const Clock::time_point until = Clock::now() + kForkSettle;
    for (running = RunningCopies();
         !running.empty() && returned() == returned_before_ && Clock::now() < until;
         running = RunningCopies()) {
      const timespec pause{0, 1'000'000};
      nanosleep(&pause, nullptr);
    }
  }
  const uint32_t count = returned() - returned_before_;
  returned_before_ += count;
  accepted_.insert(running.begin(), running.end());
  if (count > 0) return v1::Finding::COPY_RETURNED;
  return running.empty() ? v1::Finding::CODE_UNSPECIFIED : v1::Finding::COPY_RUNS;
}

}  // namespace diopi::loader
