// There are three processes of this program: the keeper, which the agent has started; the worker, its child;
// and, in a PID namespace, its first process, with which the namespace ends. The first process reads a pipe
// that only the keeper holds, so that it ends with the keeper, however the keeper ends. The worker is not the
// first process itself, because unhandled signals do not end a first process.
#include "impl_loader/worker/keeper.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/findings/finding.h"
#include "impl_loader/worker/memory_group.h"
#include "impl_loader/worker/mounts.h"
#include "impl_loader/worker/shared_layout.h"

namespace diopi::loader {
namespace {

constexpr int kCannotKeep = 70;

void CloseAllBut(int file) {
  if (file > 0) syscall(SYS_close_range, 0U, static_cast<unsigned>(file) - 1, 0U);
  syscall(SYS_close_range, static_cast<unsigned>(file) + 1, ~0U, 0U);
}

bool Put(const char* path, const std::string& text) {
  const Descriptor file(open(path, O_WRONLY | O_CLOEXEC));
  return file.valid() && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

// An unprivileged user needs a user namespace to make other namespaces. The user stays the same.
bool EnterUserNamespace() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) return false;
  if (!Put("/proc/self/setgroups", "deny") ||
      !Put("/proc/self/uid_map", absl::StrCat(user, " ", user, " 1")) ||
      !Put("/proc/self/gid_map", absl::StrCat(group, " ", group, " 1"))) {
    _exit(kCannotKeep);  // an unmapped user, which cannot be undone
  }
  return true;
}

void DropCapabilitiesOfUserNamespace() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (syscall(SYS_capset, &header, none.data()) != 0) _exit(kCannotKeep);
}

absl::Status Unshare(int kind, const char* missing) {
  return unshare(kind) == 0 ? absl::OkStatus() : absl::ErrnoToStatus(errno, missing);
}

// The kernel, when it runs out of memory, ends the worker before the agent, however the library uses memory:
// what is mapped nowhere, as in a memfd, counts for no process.
absl::Status BeFirstWithoutMemory() {
  if (Put("/proc/self/oom_score_adj", "1000")) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, "/proc/self/oom_score_adj");
}

// `user`: whether this process is now in a user namespace, in which it has capabilities.
void EnterNamespaces(const KeeperOptions& options, bool* user, Keeping* keeping) {
  keeping->in_namespace = unshare(CLONE_NEWPID) == 0;
  if (!keeping->in_namespace && geteuid() != 0) keeping->in_namespace = *user = EnterUserNamespace();
  keeping->kept = !keeping->in_namespace
                      ? Found(v1::Finding::TERM)
                            .Word("processes it leaves behind")
                            .Said(absl::StrCat("found by the keeper; no PID namespace: ", strerror(errno)))
                      : Found(v1::Finding::TERM)
                            .Word(*user ? "processes it leaves behind (PID namespace in a user namespace)"
                                        : "processes it leaves behind (PID namespace)");
  keeping->device_files = ChooseDeviceFiles(options.devices);
  using Otherwise = Keeping::Otherwise;
  const auto add = [keeping](const char* what, Otherwise otherwise, absl::Status status) {
    keeping->steps.push_back({Found(v1::Finding::TERM).Word(what), std::move(status), otherwise});
    return keeping->steps.back().status.ok();
  };
  if (!options.share_with_daemons) {
    keeping->own_ipc =
        add("shared memory of other programs", Otherwise::kCalls, Unshare(CLONE_NEWIPC, "no IPC namespace"));
    add("names of abstract sockets", Otherwise::kCalls, Unshare(CLONE_NEWNET, "no network namespace"));
  }
  const absl::Status mounts = OwnMounts();
  const bool share = options.share_with_daemons;
  keeping->own_dev =
      add("other device files", Otherwise::kFiles,
          mounts.ok() ? MountOwnDev(keeping->device_files, options.files.shown, share) : mounts);
  // Afterwards, because /dev/null covers files.
  if (!options.files.hidden.empty()) {
    add("reading the data folder", Otherwise::kNothing, mounts.ok() ? HideFiles(options.files) : mounts);
  }
  ResolveWorkingFolder();
  const absl::Status first = BeFirstWithoutMemory();
  // Without mounts of its own the worker's /proc can be written to (MountOwnProc).
  add("outlasting the agent when memory runs out", Otherwise::kFiles, first.ok() ? mounts : first);
}

// What only root can read of the kernel's own state.
constexpr std::array kKernelsOwn = {"kallsyms",      "kcore",      "kmsg",        "kpagecgroup",
                                    "kpagecount",    "kpageflags", "sched_debug", "slabinfo",
                                    "sysrq-trigger", "timer_list", "vmallocinfo", "pagetypeinfo"};

// For the worker: a /proc of the PID namespace, where processes have the numbers that getpid returns. CUDA's
// driver looks itself up there, and fails where it finds another process or none. Nothing outside the
// namespace is in it, and nothing in it can be written to, such as what BeFirstWithoutMemory wrote. False: it
// is the machine's, read-only if possible.
bool MountOwnProc() {
  if (!OwnMounts().ok()) return false;
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
  const bool own = mount("proc", "/proc", "proc", kFlags, nullptr) == 0;
  if (!own) mount(nullptr, "/proc", nullptr, MS_REMOUNT | MS_BIND | kFlags, nullptr);
  for (const char* name : kKernelsOwn) {
    if (geteuid() == 0) mount("/dev/null", absl::StrCat("/proc/", name).c_str(), nullptr, MS_BIND, nullptr);
  }
  return own;
}

[[noreturn]] void EndWithKeeper(int keeper) {
  CloseAllBut(keeper);
  prctl(PR_SET_DUMPABLE, 0);  // the library, which sees this process, must not look into it
  signal(SIGCHLD, SIG_IGN);   // reaps orphans
  char byte = 0;
  while (read(keeper, &byte, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

volatile sig_atomic_t g_worker = 0;  // for the signal handler

// SIGTERM is passed on to the worker; the other signal says that the agent has gone or wants the worker
// killed.
void PassOn(int number) {
  if (g_worker > 0) kill(static_cast<pid_t>(g_worker), number == SIGTERM ? SIGTERM : SIGKILL);
}

// Kills this process's children, which include the worker's orphans.
void KillChildren() {
  for (;;) {
    std::ifstream list(absl::StrCat("/proc/self/task/", getpid(), "/children"));
    if (!list) return;
    for (pid_t child = 0; list >> child;) kill(child, SIGKILL);
    if (waitpid(-1, nullptr, __WALL) < 0 && errno == ECHILD) return;
  }
}

[[noreturn]] void EndAs(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  signal(number, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  kill(getpid(), number);
  _exit(128 + number);
}

// Runs in the worker, whose parent is `keeper`. `user`: as for EnterNamespaces.
void BeWorker(pid_t keeper, bool user, Keeping* keeping) {
  signal(SIGTERM, SIG_DFL);
  signal(kKeepersSignal, SIG_DFL);
  if (keeping->in_namespace) {
    setpgid(0, 0);
    if (!MountOwnProc()) keeping->kept.set_said("with the machine's /proc");
  }
  if (user) DropCapabilitiesOfUserNamespace();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (!keeping->in_namespace && getppid() != keeper) _exit(kCannotKeep);
}

// The limit on the memory of all that the worker starts.
absl::StatusOr<MemoryGroup> LimitMemory(uint64_t bytes, Keeping* keeping) {
  if (bytes == 0) return absl::NotFoundError("no limit");
  absl::StatusOr<MemoryGroup> group = MemoryGroup::Make(bytes);
  keeping->steps.push_back(
      {Found(v1::Finding::TERM).Word("memory").Count(static_cast<int64_t>(bytes)), group.status()});
  return group;
}

}  // namespace

Keeping ForkFromKeeper(pid_t agent, int pid_pipe, const KeeperOptions& options) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) _exit(kCannotKeep);
  bool user = false;
  Keeping keeping;
  const absl::StatusOr<MemoryGroup> group = LimitMemory(options.memory_bytes, &keeping);
  EnterNamespaces(options, &user, &keeping);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action {};
  action.sa_handler = PassOn;
  sigaction(kKeepersSignal, &action, nullptr);
  // Without a namespace all processes are in one group, so that the agent's SIGKILL and SIGTERM reach them
  // directly.
  if (!keeping.in_namespace) action.sa_handler = SIG_IGN;
  sigaction(SIGTERM, &action, nullptr);
  prctl(PR_SET_PDEATHSIG, keeping.in_namespace ? SIGKILL : kKeepersSignal);
  if (getppid() != agent) _exit(kCannotKeep);
  const pid_t first = keeping.in_namespace ? fork() : 0;
  if (keeping.in_namespace && first == 0) {
    if (user) DropCapabilitiesOfUserNamespace();
    close(ends[1]);
    EndWithKeeper(ends[0]);
  }
  const pid_t keeper = getpid();
  const pid_t worker = first < 0 ? -1 : fork();
  if (worker < 0) _exit(kCannotKeep);
  if (worker == 0) {
    for (const int file : {ends[0], ends[1], pid_pipe}) close(file);
    if (group.ok()) keeping.steps.front().status = group->Enter();
    BeWorker(keeper, user, &keeping);
    return keeping;
  }
  if (user) DropCapabilitiesOfUserNamespace();
  g_worker = worker;
  if (getppid() != agent || write(pid_pipe, &worker, sizeof(worker)) != sizeof(worker)) PassOn(SIGKILL);
  CloseAllBut(ends[1]);
  int status = 0;
  while (waitpid(worker, &status, __WALL) != worker) {
  }
  g_worker = 0;
  if (keeping.in_namespace) kill(first, SIGKILL);
  KillChildren();
  if (group.ok()) group->Remove();
  EndAs(status);
}

}  // namespace diopi::loader
