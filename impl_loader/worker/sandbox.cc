// The order of the restrictions leaves each the rights that it needs: resource limits, Landlock,
// capabilities, and last the seccomp filter. What the kernel does not support is reported, never fatal,
// because a worker with fewer restrictions is more useful than none. Filters refuse with EPERM or ENOSYS
// instead of killing, since libraries probe for calls and continue.
//
// The default mode forbids only calls known to do harm, since an unknown driver may need any other. The
// strict mode allows only calls known to be harmless.
#include "impl_loader/worker/sandbox.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <initializer_list>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/findings/finding.h"
#include "impl_loader/worker/harmless_calls.h"

namespace diopi::loader {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(DIOPI_THREAD_SANITIZER)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

constexpr rlim_t kMaxFiles = 65536;
// The kernel counts the user's threads on the whole machine, so this limit only stops runaway forking.
constexpr rlim_t kMaxTasks = 65536;

// Calls that no operator needs. io_uring could do forbidden things without a system call for each.
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
    "mq_open",
    "mq_unlink",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
};

// System V's shared memory and semaphores, which an IPC namespace separates. Forbidden in strict mode where
// there is no such namespace.
constexpr std::array kSharedObjects = {"shmget", "shmat",      "shmctl", "semget",
                                       "semop",  "semtimedop", "semctl"};

// Landlock does not restrict these.
constexpr std::array kFileAttributes = {
    "chmod", "fchmod", "fchmodat",  "fchmodat2", "chown",    "fchown",    "lchown",    "fchownat",
    "utime", "utimes", "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "setxattrat",
};

// Forbidden, because the library would have capabilities in a new namespace.
constexpr std::array<uint64_t, 7> kNamespaces = {CLONE_NEWUSER, CLONE_NEWNS,     CLONE_NEWPID, CLONE_NEWNET,
                                                 CLONE_NEWIPC,  CLONE_NEWCGROUP, CLONE_NEWUTS};

std::string Why(int error) {
  return strerror(error);
}

struct SandboxReport {
  v1::Finding dropped = Found(v1::Finding::SANDBOX);
  v1::Finding retained = Found(v1::Finding::NOT_DROPPED);
};

// Records the success of one step, which concerns these rights.
void Note(bool done, std::vector<v1::Finding> rights, const std::string& why, SandboxReport* report) {
  if (!done) rights.back().set_said(why);
  v1::Finding& list = done ? report->dropped : report->retained;
  for (v1::Finding& right : rights) *list.add_parts() = std::move(right);
}

void Note(bool done, const char* right, const std::string& why, SandboxReport* report) {
  Note(done, {Found(v1::Finding::TERM).Word(right)}, why, report);
}

// Lowers both limits to `most` where they are higher.
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
  const v1::Finding what =
      Found(v1::Finding::TERM).Word("address space").Count(static_cast<int64_t>(memory_bytes));
  if (kSanitizer) {
    Note(false, {what}, "this build has a sanitizer, whose shadow memory needs more", report);
    return;
  }
  const bool lowered = Lower(RLIMIT_AS, memory_bytes);
  Note(lowered, {what}, lowered ? "" : Why(errno), report);
}

// For a worker started by root. The kept ones let drivers pin memory and set priorities, and let root open
// files of other users.
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

// landlock_ruleset_attr of Linux 6.12; Debian's header is older.
struct LandlockRules {
  uint64_t files = 0;
  uint64_t network = 0;
  uint64_t scopes = 0;
};
constexpr long kScopesVersion = 6;
constexpr uint64_t kAbstractSocketScope = 1;
constexpr uint64_t kSignalScope = 2;

// A process in a Landlock domain cannot read or trace processes outside it, whatever their user; in this
// domain it cannot send them signals or connect to their abstract sockets either (except in the mode for
// that). 0, or an errno.
int KeepToItself(SandboxMode mode) {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) return errno;
  if (version < kScopesVersion) return EOPNOTSUPP;
  LandlockRules rules;
  rules.scopes = mode == SandboxMode::kSockets ? kSignalScope : kSignalScope | kAbstractSocketScope;
  const Descriptor set(static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0)));
  if (set.get() < 0) return errno;
  return syscall(SYS_landlock_restrict_self, set.get(), 0) == 0 ? 0 : errno;
}

// Folders besides the library's own that may contain its code and data.
constexpr std::array kReadable = {"/bin", "/etc",  "/lib",  "/lib32", "/lib64",
                                  "/opt", "/proc", "/sbin", "/sys",   "/usr"};

// Allows `access` to the file at `path`, which may be missing, or to all below that folder. 0, or an errno.
int Allow(int set, const std::string& path, uint64_t access) {
  const Descriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat file {};
  if (place.get() < 0 || fstat(place.get(), &file) != 0) return 0;
  constexpr uint64_t kOfFiles = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE;
  const landlock_path_beneath_attr rule{S_ISDIR(file.st_mode) ? access : access & kOfFiles, place.get()};
  if (syscall(SYS_landlock_add_rule, set, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0) return 0;
  return errno == EBADFD ? 0 : errno;  // a pipe, to which /dev/stdout leads
}

// Forbids writing, making and removing files except the chosen device files, and reading except these and
// what is below kReadable and `options.readable`; below `options.own_folder` and in a /dev/shm of the
// worker's own all is allowed. 0, or an errno.
int ForbidFiles(const SandboxOptions& options) {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) return errno;
  constexpr uint64_t kRead = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
  constexpr uint64_t kWrite = LANDLOCK_ACCESS_FS_WRITE_FILE;
  landlock_ruleset_attr rules{};
  rules.handled_access_fs = kRead | kWrite | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |
                            LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |
                            LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |
                            LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |
                            LANDLOCK_ACCESS_FS_MAKE_SYM;
  // LANDLOCK_ACCESS_FS_TRUNCATE (Linux 6.2) is newer than Debian's header.
  if (version >= 3) rules.handled_access_fs |= uint64_t{1} << 14;
  const Descriptor set(static_cast<int>(syscall(SYS_landlock_create_ruleset, &rules, sizeof(rules), 0)));
  if (set.get() < 0) return errno;
  int error = 0;
  const auto allow = [&](const std::string& path, uint64_t access) {
    if (error == 0) error = Allow(set.get(), path, access);
  };
  for (const char* path : kReadable) allow(path, kRead);
  for (const std::string& path : options.readable) allow(path, kRead);
  allow("/dev", LANDLOCK_ACCESS_FS_READ_DIR);
  for (const std::string& path : options.keeping.device_files) allow(path, kRead | kWrite);
  // All but making devices.
  constexpr uint64_t kDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;
  if (!options.own_folder.empty()) allow(options.own_folder, rules.handled_access_fs & ~kDevices);
  if (options.keeping.own_dev) allow("/dev/shm", rules.handled_access_fs & ~kDevices);
  if (error != 0) return error;
  return syscall(SYS_landlock_restrict_self, set.get(), 0) == 0 ? 0 : errno;
}

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

scmp_arg_cmp Compare(unsigned argument, scmp_compare how, uint64_t a, uint64_t b = 0) {
  return scmp_arg_cmp{argument, how, a, b};
}

// Adds rules, and keeps the errno of the first failure.
class Rules {
 public:
  explicit Rules(scmp_filter_ctx filter) : filter_(filter) {}
  void Forbid(int call) { Keep(seccomp_rule_add(filter_, SCMP_ACT_ERRNO(EPERM), call, 0)); }
  void ForbidWhen(int call, std::initializer_list<scmp_arg_cmp> all) {
    Keep(seccomp_rule_add_array(filter_, SCMP_ACT_ERRNO(EPERM), call, static_cast<unsigned>(all.size()),
                                all.begin()));
  }
  // Compares only the lower half of the argument, as the kernel does.
  void ForbidValue(int call, unsigned argument, uint64_t value) {
    ForbidWhen(call, {Compare(argument, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, value)});
  }
  // Pretends that the kernel is older: glibc then makes the older call, whose arguments a filter can see.
  void Unknown(int call) { Keep(seccomp_rule_add(filter_, SCMP_ACT_ERRNO(ENOSYS), call, 0)); }
  void Keep(int result) {
    if (result < 0 && error_ == 0) error_ = -result;
  }
  int error() const { return error_; }

 private:
  scmp_filter_ctx filter_;
  int error_ = 0;
};

// Calls by another architecture's numbers would bypass the rules. 0, or an errno.
int Load(scmp_filter_ctx filter, Rules* rules) {
  rules->Keep(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(EPERM)));
  rules->Keep(seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 1));
  rules->Keep(seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1));
  // Otherwise older kernels slow the whole process down, and with it what we measure. Not all kernels know
  // this attribute.
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
  seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree instead of a list
  return rules->error() != 0 ? rules->error() : -seccomp_load(filter);
}

template <typename Names, typename F>
void ForEachCall(const Names& names, F&& add) {
  for (const char* name : names) {
    const int call = seccomp_syscall_resolve_name(name);
    if (call != __NR_SCMP_ERROR) add(call);  // libseccomp is older than some calls
  }
}

// Other calls seem missing, as in an older kernel, so that libraries fall back on another way. 0, or an
// errno.
int AllowKnownCalls() {
  const Filter filter(seccomp_init(SCMP_ACT_ERRNO(ENOSYS)), seccomp_release);
  if (filter == nullptr) return ENOMEM;
  Rules rules(filter.get());
  ForEachCall(kHarmlessCalls,
              [&](int call) { rules.Keep(seccomp_rule_add(filter.get(), SCMP_ACT_ALLOW, call, 0)); });
  return Load(filter.get(), &rules);
}

// Leaves only socket pairs and, except in strict mode, Unix sockets; and of these only types that send
// nothing before connect(), which is forbidden.
void ForbidSockets(SandboxMode mode, Rules* rules) {
  const bool strict = mode == SandboxMode::kStrict;
  if (strict) rules->Forbid(SCMP_SYS(socket));
  for (const int call : {SCMP_SYS(socket), SCMP_SYS(socketpair)}) {
    if (call == SCMP_SYS(socket) && strict) continue;
    rules->ForbidWhen(call, {Compare(0, SCMP_CMP_NE, AF_UNIX)});
    if (mode == SandboxMode::kSockets) continue;
    constexpr uint64_t kType = 0xF;  // datagrams, raw sockets, which are the same, and others of tomorrow
    for (uint64_t type = 0; type <= kType; ++type) {
      if (type == SOCK_STREAM || type == SOCK_SEQPACKET) continue;
      rules->ForbidWhen(call, {Compare(1, SCMP_CMP_MASKED_EQ, kType, type)});
    }
  }
  if (mode != SandboxMode::kSockets) rules->Forbid(SCMP_SYS(connect));
}

// From a PID namespace, other processes can be reached only through their user or group.
void ForbidPriorities(bool in_namespace, Rules* rules) {
  rules->ForbidWhen(SCMP_SYS(setpriority), {Compare(0, SCMP_CMP_NE, PRIO_PROCESS)});
  constexpr uint64_t kIoprioWhoProcess = 1;
  rules->ForbidWhen(SCMP_SYS(ioprio_set), {Compare(0, SCMP_CMP_NE, kIoprioWhoProcess)});
  if (in_namespace) return;
  // 0 is the caller.
  rules->ForbidWhen(SCMP_SYS(setpriority), {Compare(1, SCMP_CMP_NE, 0)});
  rules->ForbidWhen(SCMP_SYS(ioprio_set), {Compare(1, SCMP_CMP_NE, 0)});
  for (const int call : {SCMP_SYS(sched_setscheduler), SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr)}) {
    rules->ForbidWhen(call, {Compare(0, SCMP_CMP_NE, 0)});
  }
}

// 0, or an errno.
int ForbidCalls(SandboxMode mode, const Keeping& keeping) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), seccomp_release);
  if (filter == nullptr) return ENOMEM;
  Rules rules(filter.get());
  ForEachCall(kForbidden, [&](int call) { rules.Forbid(call); });
  const auto self = static_cast<uint64_t>(getpid());
  for (const int call :
       {SCMP_SYS(kill), SCMP_SYS(tgkill), SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo)}) {
    rules.ForbidWhen(call, {Compare(0, SCMP_CMP_NE, self)});
  }
  rules.ForbidValue(SCMP_SYS(prctl), 0, PR_SET_PDEATHSIG);
  rules.ForbidWhen(SCMP_SYS(prlimit64), {Compare(0, SCMP_CMP_NE, 0)});  // of another process
  ForbidPriorities(keeping.in_namespace, &rules);
  // Requests that type into a terminal, or make the kernel signal a process.
  for (const uint64_t request : {TIOCSTI, TIOCLINUX, FIOSETOWN, SIOCSPGRP}) {
    rules.ForbidValue(SCMP_SYS(ioctl), 1, request);
  }
  rules.ForbidValue(SCMP_SYS(fcntl), 1, F_SETOWN_EX);
  rules.ForbidWhen(SCMP_SYS(fcntl),
                   {Compare(1, SCMP_CMP_MASKED_EQ, 0xFFFFFFFF, F_SETOWN), Compare(2, SCMP_CMP_NE, self)});
  for (const uint64_t flag : kNamespaces) {
    rules.ForbidWhen(SCMP_SYS(clone), {Compare(0, SCMP_CMP_MASKED_EQ, flag, flag)});
  }
  rules.Unknown(SCMP_SYS(clone3));
  ForbidSockets(mode, &rules);
  if (mode == SandboxMode::kStrict) {
    ForEachCall(kFileAttributes, [&](int call) { rules.Forbid(call); });
    if (!keeping.own_ipc) ForEachCall(kSharedObjects, [&](int call) { rules.Forbid(call); });
  }
  return Load(filter.get(), &rules);
}

// Where two filters refuse a call, the one loaded last decides the errno.
int FilterCalls(SandboxMode mode, const Keeping& keeping) {
  const int error = mode == SandboxMode::kStrict ? AllowKnownCalls() : 0;
  return error != 0 ? error : ForbidCalls(mode, keeping);
}

// What the keeper has done. `calls`, `files`: the strict mode has forbidden these.
void NoteKeeping(const Keeping& keeping, bool calls, bool files, SandboxReport* report) {
  if (keeping.kept.code() != v1::Finding::CODE_UNSPECIFIED) *report->dropped.add_parts() = keeping.kept;
  for (const Keeping::Step& step : keeping.steps) {
    const bool otherwise = (step.otherwise == Keeping::Otherwise::kCalls && calls) ||
                           (step.otherwise == Keeping::Otherwise::kFiles && files);
    Note(step.status.ok() || otherwise, {step.what}, std::string(step.status.message()), report);
  }
}

v1::Finding Whole(SandboxReport report) {
  v1::Finding whole = Found(v1::Finding::TOGETHER).Part(std::move(report.dropped));
  if (!report.retained.parts().empty()) *whole.add_parts() = std::move(report.retained);
  return whole;
}

}  // namespace

absl::StatusOr<SandboxMode> ParseSandboxMode(std::string_view word) {
  if (word == "off") return SandboxMode::kOff;
  if (word == "default") return SandboxMode::kDefault;
  if (word == "sockets") return SandboxMode::kSockets;
  if (word == "strict") return SandboxMode::kStrict;
  return absl::InvalidArgumentError(absl::StrCat(
      "'", std::string(word), "' is not a sandbox mode; expected strict, default, sockets or off"));
}

KeeperOptions KeeperOptionsOf(const SandboxOptions& options, HiddenFiles files) {
  KeeperOptions keeper;
  keeper.files = std::move(files);
  if (options.mode == SandboxMode::kStrict) keeper.devices = DeviceChoice::kAccelerators;
  keeper.share_with_daemons = options.mode == SandboxMode::kSockets;
  keeper.memory_bytes = options.memory_bytes;
  return keeper;
}

v1::Finding EnterSandbox(const SandboxOptions& options) {
  SandboxReport report;
  if (options.mode == SandboxMode::kOff) {
    report.dropped.set_word("off");
    if (options.memory_bytes > 0) LimitResources(options.memory_bytes, &report);
    return Whole(std::move(report));
  }
  const bool strict = options.mode == SandboxMode::kStrict;
  report.dropped.set_word(strict ? "strict" : options.mode == SandboxMode::kSockets ? "sockets" : "default");
  const bool no_new = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
  Note(no_new, "new privileges", no_new ? "" : Why(errno), &report);
  LimitResources(options.memory_bytes, &report);
  const auto why = [](int error) {
    return error == ENOSYS || error == EOPNOTSUPP ? "this kernel's Landlock cannot" : Why(error);
  };
  int error = KeepToItself(options.mode);
  Note(error == 0, "reading other processes", why(error), &report);
  bool no_files = false;
  if (strict) {
    error = ForbidFiles(options);
    no_files = error == 0;
    Note(no_files, "reading and writing files", why(error), &report);
  }
  DropCapabilities(strict, &report);
  error = FilterCalls(options.mode, options.keeping);
  std::vector<v1::Finding> calls;
  for (const char* right : {strict ? "sockets" : "network", "exec", "other processes"})
    calls.push_back(Found(v1::Finding::TERM).Word(right));
  if (strict) calls.push_back(Found(v1::Finding::TERM).Word("unknown system calls"));
  Note(error == 0, std::move(calls), Why(error), &report);
  NoteKeeping(options.keeping, strict && error == 0, no_files, &report);
  return Whole(std::move(report));
}

}  // namespace diopi::loader
