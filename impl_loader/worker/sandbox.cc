// The restrictions are applied in an order in which each still has the rights that it needs: resource limits
// and capabilities first, Landlock for files, then the seccomp filter, which cannot be undone. Each step
// keeps its own score: what the kernel does not support is reported, never fatal, because a worker with fewer
// restrictions is more useful than none. Filters refuse with EPERM or ENOSYS instead of killing, since
// libraries probe for calls and continue.
#include "impl_loader/worker/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cases/base/descriptor.h"

namespace diopi::loader {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

constexpr rlim_t kMaxFiles = 65536;
// The kernel counts the user's threads on the whole machine, so this only ends runaway forking.
constexpr rlim_t kMaxTasks = 65536;

// What no operator needs. io_uring would do what the filter forbids without a system call of its own.
constexpr std::array kForbidden = {
    "execve",
    "execveat",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "pidfd_getfd",
    "pidfd_send_signal",
    "kcmp",
    "tkill",
    "setsid",
    "setpgid",
    "unshare",
    "setns",
    "mount",
    "umount2",
    "mount_setattr",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsmount",
    "fsconfig",
    "fspick",
    "pivot_root",
    "chroot",
    "open_by_handle_at",
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "reboot",
    "swapon",
    "swapoff",
    "acct",
    "quotactl",
    "add_key",
    "request_key",
    "keyctl",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "sethostname",
    "setdomainname",
    "iopl",
    "ioperm",
    "syslog",
    "fanotify_init",
    "lookup_dcookie",
};

// Namespaces of its own would give the library capabilities again.
constexpr std::array<uint64_t, 7> kNamespaces = {CLONE_NEWUSER, CLONE_NEWNS,     CLONE_NEWPID, CLONE_NEWNET,
                                                 CLONE_NEWIPC,  CLONE_NEWCGROUP, CLONE_NEWUTS};

std::string Why(int error) {
  return strerror(error);
}

// Keeps score of one step.
void Note(bool done, const std::string& what, const std::string& why, SandboxReport* report) {
  if (done) {
    report->dropped.push_back(what);
  } else {
    report->retained.push_back(absl::StrCat(what, " (", why, ")"));
  }
}

// Lowers both limits to `most`; one that is lower stays.
bool Lower(__rlimit_resource resource, rlim_t most) {
  rlimit now{};
  if (getrlimit(resource, &now) != 0) return false;
  now.rlim_max = std::min(now.rlim_max, most);
  now.rlim_cur = std::min(now.rlim_cur, now.rlim_max);
  return setrlimit(resource, &now) == 0;
}

void LimitResources(uint64_t memory_bytes, SandboxReport* report) {
  const bool limited =
      Lower(RLIMIT_CORE, 0) && Lower(RLIMIT_NOFILE, kMaxFiles) && Lower(RLIMIT_NPROC, kMaxTasks);
  Note(limited, "resource limits", limited ? "" : Why(errno), report);
  if (memory_bytes == 0) return;
  const std::string what = absl::StrCat("address space over ", memory_bytes, " bytes");
  if (kSanitizer) {
    Note(false, what, "this build has a sanitizer, whose shadow memory needs more", report);
    return;
  }
  const bool lowered = Lower(RLIMIT_AS, memory_bytes);
  Note(lowered, what, lowered ? "" : Why(errno), report);
}

// For a worker that root started. What is kept lets drivers pin memory and set priorities, and lets root open
// files that belong to others.
void DropCapabilities(bool all, SandboxReport* report) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  bool done = syscall(SYS_capget, &header, sets.data()) == 0;
  if (done && std::all_of(sets.begin(), sets.end(), [](const auto& set) { return set.permitted == 0; }))
    return;
  uint32_t keep = 1U << CAP_DAC_READ_SEARCH;
  if (!all) keep |= 1U << CAP_DAC_OVERRIDE | 1U << CAP_IPC_LOCK | 1U << CAP_SYS_NICE;
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  for (uint32_t i = 0; i < sets.size(); ++i) {
    sets[i].permitted &= i == 0 ? keep : 0;
    sets[i].effective = sets[i].permitted;
    sets[i].inheritable = 0;
  }
  done = done && syscall(SYS_capset, &header, sets.data()) == 0;
  Note(done, "capabilities", done ? "" : Why(errno), report);
}

// Writing, making and removing files, below /dev excepted. 0, or an errno.
int ForbidWriting() {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) return errno;
  constexpr uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE;
  landlock_ruleset_attr rules{};
  rules.handled_access_fs =
      kWrite | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
      LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
      LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM;
  // LANDLOCK_ACCESS_FS_TRUNCATE (Linux 6.2) is newer than Debian's header.
  if (version >= 3) rules.handled_access_fs |= uint64_t{1} << 14;
  const Descriptor set(static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0)));
  if (set.get() < 0) return errno;
  // Names of threads are set by writing there, devices driven.
  for (const char* path : {"/dev", "/proc/self"}) {
    const Descriptor folder(open(path, O_PATH | O_CLOEXEC));
    if (folder.get() < 0) continue;
    const landlock_path_beneath_attr rule{kWrite, folder.get()};
    if (syscall(SYS_landlock_add_rule, set.get(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0) != 0) return errno;
  }
  return syscall(SYS_landlock_restrict_self, set.get(), 0) == 0 ? 0 : errno;
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

// Adds rules; the first failure is kept, as an errno.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}
  void Forbid(int call) { Keep(seccomp_rule_add(filter_, SCMP_ACT_ERRNO(EPERM), call, 0)); }
  void ForbidWhen(int call, const scmp_arg_cmp& when) {
    Keep(seccomp_rule_add_array(filter_, SCMP_ACT_ERRNO(EPERM), call, 1, &when));
  }
  // As if the kernel were older: glibc then takes the older call, whose arguments a filter can see.
  void Unknown(int call) { Keep(seccomp_rule_add(filter_, SCMP_ACT_ERRNO(ENOSYS), call, 0)); }
  void Keep(int result) {
    if (result < 0 && error_ == 0) error_ = -result;
  }
  int error() const { return error_; }

 private:
  scmp_filter_ctx filter_;
  int error_ = 0;
};

scmp_arg_cmp Compare(unsigned argument, scmp_compare how, uint64_t a, uint64_t b = 0) {
  return scmp_arg_cmp{argument, how, a, b};
}

// 0, or an errno.
int FilterCalls(bool strict) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (filter == nullptr) return ENOMEM;
  Rules rules(filter.get());
  // Calls of another architecture's numbers would go round the rules.
  rules.Keep(seccomp_attr_set(filter.get(), SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)));
  rules.Keep(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_NNP, 1));
  rules.Keep(seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1));
  // Otherwise older kernels slow the whole process down, and with it what is measured. Not all kernels know.
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_SSB, 1);
  seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree instead of a list
  for (const char* name : kForbidden) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call != __NR_SCMP_ERROR) rules.Forbid(call);  // libseccomp is older than some calls
  }
  const auto self = static_cast<uint64_t>(getpid());
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)}) {
    rules.ForbidWhen(call, Compare(0, SCMP_CMP_NE, self));
  }
  rules.ForbidWhen(SCMP_SYS(prctl), Compare(0, SCMP_CMP_EQ, PR_SET_PDEATHSIG));
  for (const uint64_t flag : kNamespaces) {
    rules.ForbidWhen(SCMP_SYS(clone), Compare(0, SCMP_CMP_MASKED_EQ, flag, flag));
  }
  rules.Unknown(SCMP_SYS(clone3));
  if (strict) {
    rules.Forbid(SCMP_SYS(socket));
  } else {
    rules.ForbidWhen(SCMP_SYS(socket), Compare(0, SCMP_CMP_NE, AF_UNIX));
  }
  if (rules.error() != 0) return rules.error();
  return -seccomp_load(filter.get());
}

}  // namespace

absl::StatusOr<SandboxMode> ParseSandboxMode(std::string_view word) {
  if (word == "off") return SandboxMode::kOff;
  if (word == "default") return SandboxMode::kDefault;
  if (word == "strict") return SandboxMode::kStrict;
  return absl::InvalidArgumentError(
      absl::StrCat("'", std::string(word), "' is no sandbox mode; expected strict, default or off"));
}

std::string SandboxReport::Text() const {
  std::string text = mode;
  if (!dropped.empty()) absl::StrAppend(&text, ": ", absl::StrJoin(dropped, ", "));
  if (!retained.empty()) absl::StrAppend(&text, "; could not drop: ", absl::StrJoin(retained, ", "));
  return text;
}

SandboxReport EnterSandbox(const SandboxOptions& options) {
  SandboxReport report;
  if (options.mode == SandboxMode::kOff) {
    report.mode = "off";
    if (options.memory_bytes > 0) LimitResources(options.memory_bytes, &report);
    return report;
  }
  const bool strict = options.mode == SandboxMode::kStrict;
  report.mode = strict ? "strict" : "default";
  const bool no_new = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  Note(no_new, "new privileges", no_new ? "" : Why(errno), &report);
  LimitResources(options.memory_bytes, &report);
  if (strict) {
    const int error = ForbidWriting();
    Note(error == 0, "writing files",
         error == ENOSYS || error == EOPNOTSUPP ? "this kernel has no Landlock" : Why(error), &report);
  }
  DropCapabilities(strict, &report);
  const int error = FilterCalls(strict);
  Note(error == 0, strict ? "sockets, exec, other processes" : "network, exec, other processes", Why(error),
       &report);
  return report;
}

}  // namespace diopi::loader
