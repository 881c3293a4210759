// A library in strict mode walks through all that a process may reach (vendor_walks). Whatever it finds must
// be on the list below, with the reason for which it may: what is new in a kernel fails here until somebody
// has thought about it.
#include <fnmatch.h>
#include <gmock/gmock.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cases/base/temporary_folder.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

constexpr uid_t kNobody = 65534;

// What the library may find: a kind, patterns of names, and why.
struct Allowed {
  std::string kind;
  std::vector<std::string> names;
  std::string reason;
};

const std::vector<Allowed>& List() {
  static const auto& list = *new std::vector<Allowed>{
      {"dev", {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}, "they lead nowhere"},
      {"dev", {"/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"}, "links to its own descriptors"},
      {"dev", {"/dev/shm"}, "a folder of its own"},
      {"dev",
       {"/dev/nvidia*", "/dev/dri", "/dev/dri/*", "/dev/kfd", "/dev/accel*", "/dev/davinci*",
        "/dev/cambricon*"},
       "an accelerator, without which the library is no use"},
      {"folder", {"/dev/shm", "OWN"}, "folders of its own"},
      {"process", {"1", "self"}, "its namespace's: our own first process and the worker"},
      {"descriptor", {"0 /dev/null", "1 pipe:*", "2 pipe:*"}, "what it prints, which the agent reads"},
      {"descriptor",
       {"3 socket:*", "4 /memfd:diopi-worker (deleted)"},
       "the worker's own channel and memory"},
      {"descriptor", {"* /proc/*/task"}, "where the worker counts its threads"},
      {"pair", {"1 1", "1 5"}, "Unix sockets that are connected to each other, and to nothing else"},
      {"namespace",
       {"uts *", "cgroup *", "time *", "time_for_children *"},
       "only facts: nothing is sent or shared"},
      {"namespace", {"user *"}, "root's: capabilities are gone (below)"},
      {"capability", {"2"}, "lets root read files of other users that strict mode lets it read"},
      {"proc",
       {"self", "thread-self", "mounts", "net", "sysvipc", "sys"},
       "of its own namespaces; read-only"},
      {"proc",
       {"cmdline",       "config.gz",   "cpuinfo",      "version*",    "uptime",       "loadavg",
        "stat",          "meminfo",     "swaps",        "vmstat",      "zoneinfo",     "buddyinfo",
        "pressure",      "schedstat",   "softirqs",     "interrupts",  "irq",          "cgroups",
        "crypto",        "execdomains", "filesystems",  "fs",          "misc",         "modules",
        "dynamic_debug", "kallsyms",    "pagetypeinfo", "slabinfo",    "timer_list",   "vmallocinfo",
        "kpage*",        "kcore",       "kmsg",         "sched_debug", "sysrq-trigger"},
       "facts about the machine and its kernel that any user may read, or an empty file"},
      {"proc",
       {"acpi", "asound", "bus", "consoles", "devices", "diskstats", "dma", "driver", "fb", "iomem",
        "ioports", "mdstat", "mtrr", "partitions", "scsi", "tty"},
       "facts about the machine's hardware, without addresses"},
      {"proc",
       {"keys", "key-users"},
       "counts of keys, and those that a user may see anyway: keyctl is refused"},
      {"proc", {"locks"}, "locks on files by their numbers, without processes of other namespaces"},
      {"end", {"reached"}, "nothing ended the walk"},
  };
  return list;
}

// A namespace of its own: the link in /proc differs from this process's.
bool IsOwnNamespace(const std::string& found) {
  const std::vector<std::string> words = absl::StrSplit(found, ' ');  // "namespace net net:[4026532181]"
  if (words.size() != 3 || words[0] != "namespace") return false;
  std::error_code error;
  const std::filesystem::path ours =
      std::filesystem::read_symlink(absl::StrCat("/proc/self/ns/", words[1]), error);
  return !error && ours != words[2];
}

bool IsOnList(const std::string& found) {
  if (IsOwnNamespace(found)) return true;
  const size_t space = found.find(' ');
  return std::any_of(List().begin(), List().end(), [&](const Allowed& allowed) {
    return allowed.kind == found.substr(0, space) &&
           std::any_of(allowed.names.begin(), allowed.names.end(), [&](const std::string& name) {
             return fnmatch(name.c_str(), found.c_str() + space + 1, 0) == 0;
           });
  });
}

// Objects of System V, which any process could find by their indices.
class SharedObjects {
 public:
  SharedObjects()
      : memory_(shmget(IPC_PRIVATE, 1, 0666)),
        semaphores_(semget(IPC_PRIVATE, 1, 0666)),
        queue_(msgget(IPC_PRIVATE, 0666)) {}
  ~SharedObjects() {
    shmctl(memory_, IPC_RMID, nullptr);
    semctl(semaphores_, 0, IPC_RMID);
    msgctl(queue_, IPC_RMID, nullptr);
  }
  SharedObjects(const SharedObjects&) = delete;
  SharedObjects& operator=(const SharedObjects&) = delete;

 private:
  const int memory_;
  const int semaphores_;
  const int queue_;
};

constexpr int kCannotRun = 77;

// Has the library walk in `options`' mode with `user`'s rights. In a child.
[[noreturn]] void WalkAs(uid_t user, const WorkerOptions& options) {
  if (user != geteuid()) {
    const bool changed =
        setgroups(0, nullptr) == 0 && setresgid(user, user, user) == 0 && setresuid(user, user, user) == 0;
    if (!changed || access(options.worker_program.c_str(), X_OK) != 0) _exit(kCannotRun);
  }
  auto worker = Worker::Start(options);
  if (!worker.ok() || !(*worker)->Submit(AddCase({2, 3}, 1), AddInputs({2, 3}), 2).ok()) _exit(1);
  const CallOutcome outcome = (*worker)->Wait();
  std::ofstream(options.log_path, std::ios::app)
      << "sandbox: " << FindingText((*worker)->hello().sandbox()) << "\n";
  worker->reset();
  _exit(outcome.kind == CallOutcome::Kind::kReplied ? 0 : 2);
}

// What it finds, "KIND NAME", and last "sandbox: ..."; nothing where the user cannot run the worker.
std::vector<std::string> Walk(uid_t user, const std::string& mode, const std::string& variable) {
  absl::StatusOr<TemporaryFolder> folder = TemporaryFolder::Make();
  EXPECT_TRUE(folder.ok()) << folder.status();
  std::filesystem::permissions(folder->path(), std::filesystem::perms::all);
  WorkerOptions options = OptionsFor("walks");
  options.sandbox = mode;
  options.environment.push_back(variable);
  options.log_path = *folder / "log";
  options.case_timeout = std::chrono::seconds(100);
  const SharedObjects objects;
  const pid_t walker = fork();
  if (walker == 0) WalkAs(user, options);
  int status = 0;
  EXPECT_EQ(waitpid(walker, &status, 0), walker);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotRun) return {};
  std::vector<std::string> lines;
  std::ifstream file(options.log_path);
  for (std::string line; std::getline(file, line);) {
    lines.emplace_back(absl::StripPrefix(line, "walk: "));
  }
  EXPECT_EQ(status, 0) << absl::StrJoin(lines, "\n");
  EXPECT_GT(lines.size(), 30U);
  return lines;
}

std::set<std::string> Unlisted(std::vector<std::string> found) {
  const std::string sandbox = found.back();
  found.pop_back();
  std::set<std::string> unlisted;
  for (const std::string& line : found) {
    if (!IsOnList(line)) unlisted.insert(line);
  }
  return unlisted;
}

uid_t SomeUser() {
  return geteuid() == 0 ? kNobody : geteuid();
}

TEST(SandboxWalk, FindsNothingThatIsOnNoList) {
  for (const uid_t user : std::set<uid_t>{geteuid(), SomeUser()}) {
    const std::vector<std::string> found = Walk(user, "strict", "DIOPI_DEVICE_FILES=");
    if (found.empty() || absl::StrContains(found.back(), "could not drop")) continue;
    EXPECT_THAT(Unlisted(found), testing::IsEmpty()) << "user " << user << "\n" << found.back();
  }
}

TEST(SandboxWalk, APatternAddsDeviceFiles) {
  const std::vector<std::string> found = Walk(geteuid(), "strict", "DIOPI_DEVICE_FILES=/nowhere:/dev/ptm*");
  if (absl::StrContains(found.back(), "could not drop")) GTEST_SKIP() << found.back();
  EXPECT_THAT(Unlisted(found), testing::ElementsAre("dev /dev/ptmx"));
}

// The other modes have every character device except these. Only the mode for daemons shares what the
// machine's programs share.
TEST(SandboxWalk, OtherModesHaveNoHarmfulDevices) {
  for (const std::string mode : {"default", "sockets"}) {
    const std::vector<std::string> found = Walk(geteuid(), mode, "DIOPI_DEVICE_FILES=");
    if (absl::StrContains(found.back(), "could not drop")) GTEST_SKIP() << found.back();
    for (const char* shared : {"ipc memory", "ipc semaphores", "pair 1 2"}) {
      EXPECT_EQ(absl::c_linear_search(found, shared), mode == "sockets") << mode << " " << shared;
    }
    EXPECT_THAT(found, testing::Not(testing::Contains("ipc queue"))) << mode;
    EXPECT_THAT(found, testing::Contains("dev /dev/null")) << mode;
    for (const char* name :
         {"kmsg", "mem", "kvm", "fuse", "userfaultfd", "net", "vsock", "uinput", "input", "tty", "tty0",
          "ttyS0", "ptmx", "pts", "console", "vcs", "mqueue", "sda", "vda"}) {
      EXPECT_THAT(found, testing::Not(testing::Contains(absl::StrCat("dev /dev/", name)))) << mode;
    }
  }
}

}  // namespace
}  // namespace diopi::loader
