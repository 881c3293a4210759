// A library that tries to escape is refused with an errno, so that the verdict is the library's own error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ostream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cases/base/temporary_folder.h"
#include "cases/base/test_folder.h"
#include "cases/findings/finding_text.h"
#include "impl_loader/worker/test_options.h"

namespace diopi::loader {
namespace {

using testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(DIOPI_THREAD_SANITIZER)
constexpr bool kSanitizer = true;
#else
constexpr bool kSanitizer = false;
#endif

// vendor_escapes.cc
enum Attempt {
  kInet = 1,
  kInet6,
  kPacket,
  kUnix,
  kExec,
  kPtrace,
  kWrite,
  kKill,
  kMemory,
  kSelf,
  kToken,
  kHugeOutput,
  kConnect,
  kConnectDatagrams,
  kPriority,
  kOwnFolder,
  kUnlistedCall,
  kRead,
  kMemoryFile
};

struct SandboxRow {
  std::string sandbox;
  Attempt attempt;
  std::string error;  // empty: granted
};

void PrintTo(const SandboxRow& row, std::ostream* os) {
  *os << row.sandbox << " " << row.attempt;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class SandboxTest : public testing::TestWithParam<SandboxRow> {
 protected:
  SandboxTest() {
    options_ = OptionsFor("escapes");
    file_ = absl::StrCat(testing::TempDir(), "escaped_", getpid());
    options_.environment.push_back("DIOPI_TEST_ESCAPE_FILE=" + file_);
    setenv("DIOPI_TOKEN", "diopi_0", 1);
  }
  ~SandboxTest() override {
    unsetenv("DIOPI_TOKEN");
    std::filesystem::remove(file_);
  }

  WorkerOptions options_;
  std::string file_;
};

TEST_P(SandboxTest, RefusesWithAnError) {
  const SandboxRow& row = GetParam();
  options_.sandbox = row.sandbox;
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, row.attempt), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.Text();
  EXPECT_EQ(outcome.reply.error_code() == 0, row.error.empty()) << outcome.reply.text();
  EXPECT_THAT(outcome.reply.text(), HasSubstr(row.error));
  if (row.error.empty()) {
    EXPECT_EQ(Floats(outcome.outputs.at("out")), AddResult({2, 3}, row.attempt));
  }
  if (row.attempt == kWrite) {
    EXPECT_EQ(std::filesystem::exists(file_), row.error.empty());
  }
}

constexpr char kRefused[] = "Operation not permitted";

INSTANTIATE_TEST_SUITE_P(
    All, SandboxTest,
    testing::Values(SandboxRow{"default", kInet, kRefused}, SandboxRow{"default", kInet6, kRefused},
                    SandboxRow{"default", kPacket, kRefused}, SandboxRow{"default", kUnix, ""},
                    SandboxRow{"default", kExec, kRefused}, SandboxRow{"default", kPtrace, kRefused},
                    SandboxRow{"default", kWrite, ""}, SandboxRow{"default", kKill, kRefused},
                    SandboxRow{"default", kSelf, ""}, SandboxRow{"strict", kInet, kRefused},
                    SandboxRow{"strict", kUnix, kRefused}, SandboxRow{"strict", kExec, kRefused},
                    SandboxRow{"strict", kPtrace, kRefused}, SandboxRow{"strict", kKill, kRefused},
                    SandboxRow{"strict", kSelf, ""}, SandboxRow{"off", kInet, ""},
                    SandboxRow{"off", kUnix, ""}, SandboxRow{"off", kExec, ""}, SandboxRow{"off", kWrite, ""},
                    SandboxRow{"off", kKill, ""}, SandboxRow{"off", kToken, "No such file"},
                    SandboxRow{"default", kToken, "No such file"}, SandboxRow{"default", kConnect, kRefused},
                    SandboxRow{"default", kConnectDatagrams, kRefused},
                    SandboxRow{"sockets", kConnect, "No such file"},
                    SandboxRow{"sockets", kConnectDatagrams, "No such file"},
                    SandboxRow{"sockets", kInet, kRefused}, SandboxRow{"sockets", kExec, kRefused},
                    SandboxRow{"default", kPriority, kRefused}, SandboxRow{"strict", kPriority, kRefused},
                    SandboxRow{"strict", kOwnFolder, ""}, SandboxRow{"default", kUnlistedCall, ""},
                    SandboxRow{"strict", kUnlistedCall, "Function not implemented"}));

TEST_F(SandboxTest, StrictWritesNoFileOrSaysThatItCannotForbidIt) {
  options_.sandbox = "strict";
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kWrite), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.Text();
  const std::string sandbox = FindingText((*worker)->hello().sandbox());
  if (sandbox.find("could not drop: reading and writing files") != std::string::npos) {
    GTEST_SKIP() << "this machine's kernel does not offer it: " << sandbox;
  }
  EXPECT_THAT(outcome.reply.text(), HasSubstr("Permission denied"));
  EXPECT_FALSE(std::filesystem::exists(file_));
}

TEST_F(SandboxTest, HiddenFilesAreHiddenFromTheLibraryAlone) {
  const std::string data = absl::StrCat(testing::TempDir(), "hidden_", getpid());
  const std::string baselines = data + "/baselines";
  const std::string uploads = data + "/uploads";
  const std::string token = absl::StrCat(testing::TempDir(), "token_", getpid());
  std::filesystem::create_directories(baselines);
  std::filesystem::create_directories(uploads);
  std::filesystem::create_directory_symlink(data, data + "_link");
  options_.impl_path = uploads + "/libdiopi_impl.so";
  std::filesystem::copy_file(VendorPath("escapes"), options_.impl_path);
  for (const std::string& path : {baselines + "/add.h5", uploads + "/weights", token}) {
    std::ofstream(path) << "content";
  }
  options_.hidden = {data + "_link", token, data + "/missing", "/dev/null/missing"};
  struct Case {
    std::string sandbox;
    std::string file;
    Attempt attempt;
    std::string error;  // empty: granted
  };
  for (const Case& row :
       {Case{"default", baselines + "/add.h5", kRead, "No such file"},
        Case{"default", data + "_link/baselines/add.h5", kRead, "No such file"},
        Case{"default", data + "/new", kWrite, "Read-only file system"},
        Case{"default", token, kRead, "No data available"}, Case{"default", uploads + "/weights", kRead, ""},
        Case{"strict", baselines + "/add.h5", kRead, "No such file"},
        Case{"strict", uploads + "/weights", kRead, ""},
        Case{"sockets", baselines + "/add.h5", kRead, "No such file"},
        Case{"off", baselines + "/add.h5", kRead, ""}}) {
    options_.sandbox = row.sandbox;
    options_.environment.back() = "DIOPI_TEST_ESCAPE_FILE=" + row.file;
    auto worker = Worker::Start(options_);
    ASSERT_TRUE(worker.ok()) << worker.status();
    const std::string sandbox = FindingText((*worker)->hello().sandbox());
    if (sandbox.find("reading the data folder (") != std::string::npos) {
      GTEST_SKIP() << "this machine does not allow it: " << sandbox;
    }
    EXPECT_EQ(sandbox.find("reading the data folder") == std::string::npos, row.sandbox == "off") << sandbox;
    ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, row.attempt), AddInputs({2, 3}), 2).ok());
    const CallOutcome outcome = (*worker)->Wait();
    ASSERT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.Text();
    EXPECT_EQ(outcome.reply.error_code() == 0, row.error.empty())
        << row.sandbox << " " << row.file << ": " << outcome.reply.text();
    EXPECT_THAT(outcome.reply.text(), HasSubstr(row.error));
    EXPECT_EQ(ReadText("/proc/self/mountinfo").find(data), std::string::npos);
    EXPECT_EQ(ReadText(baselines + "/add.h5") + ReadText(token), "contentcontent");
  }
  for (const std::string& path : {data, data + "_link", token}) std::filesystem::remove_all(path);
}

// What a machine does not allow is said, and the strict mode holds most of it without namespaces.
TEST_F(SandboxTest, SaysWhatTheMachineDoesNotAllow) {
  if (geteuid() != 0) GTEST_SKIP() << "nothing to give up";
  options_.hidden = {testing::TempDir()};
  std::thread thread([&] {
    ASSERT_EQ(prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN), 0);
    auto worker = Worker::Start(options_);
    ASSERT_TRUE(worker.ok()) << worker.status();
    const std::string sandbox = FindingText((*worker)->hello().sandbox());
    const std::string retained = sandbox.substr(sandbox.find("could not drop: "));
    for (const char* words :
         {"shared memory of other programs (no IPC namespace: Operation not",
          "names of abstract sockets (no network namespace: Operation not",
          "reading the data folder (no mount namespace: Operation not",
          "other device files (no mount namespace: Operation not",
          "outlasting the agent when memory runs out (no mount namespace: Operation not"}) {
      EXPECT_THAT(retained, HasSubstr(words));
    }
    options_.sandbox = "strict";
    options_.environment.back() = "DIOPI_TEST_ESCAPE_FILE=/dev/kmsg";
    auto strict = Worker::Start(options_);
    ASSERT_TRUE(strict.ok()) << strict.status();
    const std::string held = FindingText((*strict)->hello().sandbox());
    if (held.find("reading and writing files (") != std::string::npos) return;
    EXPECT_EQ(held.substr(held.find("; could not drop: ")).find("device files"), std::string::npos) << held;
    ASSERT_TRUE((*strict)->Submit(AddCase({2, 3}, kRead), AddInputs({2, 3}), 2).ok());
    EXPECT_NE((*strict)->Wait().reply.error_code(), 0);
  });
  thread.join();
}

// Forbids new user namespaces to this thread and the processes that it starts, as container engines do.
bool ForbidUserNamespaces() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(steps), steps};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool MayMakeUserNamespaces() {
  const pid_t child = fork();
  if (child == 0) _exit(unshare(CLONE_NEWUSER) == 0 ? 0 : 1);
  int status = 0;
  return waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(SandboxTest, AUsersWorkerHasAUserNamespaceWhereThatIsAllowed) {
  constexpr uid_t kNobody = 65534;
  for (const bool allowed : {true, false}) {
    std::thread thread([&] {
      // The system call changes this thread alone, unlike setresuid().
      if (geteuid() == 0) {
        ASSERT_EQ(syscall(SYS_setresuid, kNobody, kNobody, kNobody), 0);
      }
      if (!allowed) {
        ASSERT_TRUE(ForbidUserNamespaces());
      }
      const bool may = MayMakeUserNamespaces();
      if (!allowed) {
        EXPECT_FALSE(may);
      }
      auto worker = Worker::Start(options_);
      ASSERT_TRUE(worker.ok()) << worker.status();
      EXPECT_THAT(FindingText((*worker)->hello().sandbox()),
                  HasSubstr(may ? "PID namespace in a user namespace" : "no PID namespace: "));
      ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kSelf), AddInputs({2, 3}), 2).ok());
      EXPECT_EQ((*worker)->Wait().kind, CallOutcome::Kind::kReplied);
    });
    thread.join();
  }
}

TEST_F(SandboxTest, LimitsFilesAndProcesses) {
  for (const auto resource : {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_CORE}) {
    rlimit before{}, raised{}, workers{};
    ASSERT_EQ(getrlimit(resource, &before), 0);
    raised = {before.rlim_cur, std::max<rlim_t>(before.rlim_max, 1 << 18)};
    if (setrlimit(resource, &raised) != 0) raised = before;  // only root may
    auto worker = Worker::Start(options_);
    EXPECT_TRUE(worker.ok()) << worker.status();
    EXPECT_TRUE(worker.ok() && prlimit((*worker)->pid(), resource, nullptr, &workers) == 0);
    EXPECT_EQ(workers.rlim_max, resource == RLIMIT_CORE ? 0 : std::min<rlim_t>(raised.rlim_max, 65536))
        << resource;
    setrlimit(resource, &before);
  }
}

TEST_F(SandboxTest, TheAgentTakesNoFigureOfTheWorkerOnTrust) {
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kHugeOutput), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  EXPECT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.Text();
  EXPECT_EQ(outcome.outputs.at("out").data.size(), 24u);  // what lies in the frame
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kSelf), AddInputs({2, 3}), 2).ok());
  EXPECT_EQ((*worker)->Wait().kind, CallOutcome::Kind::kReplied);
}

TEST_F(SandboxTest, SaysWhatItDropped) {
  struct Words {
    std::string sandbox;
    std::string text;
  };
  for (const Words& row : {Words{"off", "off"}, Words{"default", "default: new privileges, resource limits"},
                           Words{"strict", "strict: new privileges, resource limits"}}) {
    options_.sandbox = row.sandbox;
    auto worker = Worker::Start(options_);
    ASSERT_TRUE(worker.ok()) << worker.status();
    const std::string sandbox = FindingText((*worker)->hello().sandbox());
    EXPECT_THAT(sandbox, testing::StartsWith(row.text));
    EXPECT_EQ(sandbox.find('\n'), std::string::npos);
    if (row.sandbox == "default") {
      EXPECT_THAT(sandbox, HasSubstr("network, exec, other processes"));
    }
    EXPECT_EQ(sandbox.find("processes it leaves behind (") == std::string::npos, row.sandbox == "off");
    EXPECT_THAT(sandbox, HasSubstr("memory is checked by the agent too"));
  }
}

// How many of our workers' processes run a library.
int CopiesOf(const std::string& library) {
  int copies = 0;
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::string command;
    std::getline(std::ifstream(process.path() / "cmdline"), command);
    const std::string parent = absl::StrCat("--parent", std::string(1, '\0'), getpid(), std::string(1, '\0'));
    if (command.find(library) != std::string::npos && command.find(parent) != std::string::npos) ++copies;
  }
  return copies;
}

// vendor_forks.cc
constexpr double kLeavesACopy = 2;
constexpr double kLeavesAnOrphan = 4;

TEST_F(SandboxTest, NothingIsLeftOfAWorkerThatHasEnded) {
  options_.impl_path = VendorPath("forks");
  for (const bool may_have_namespace : {true, false}) {
    if (!may_have_namespace && geteuid() != 0) continue;  // nothing to give up
    // Rights that one thread gives up stay with the others.
    std::thread thread([&] {
      if (!may_have_namespace) {
        ASSERT_EQ(prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN), 0);
      }
      auto worker = Worker::Start(options_);
      ASSERT_TRUE(worker.ok()) << worker.status();
      const std::string sandbox = FindingText((*worker)->hello().sandbox());
      EXPECT_EQ(sandbox.find("Invalid argument"), std::string::npos) << sandbox;
      if (!may_have_namespace) {
        EXPECT_THAT(sandbox, HasSubstr("found by the keeper; no PID namespace"));
      }
      for (const double alpha : {kLeavesACopy, kLeavesAnOrphan, 0.0}) {
        ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, alpha), AddInputs({2, 3}), 2).ok());
        const CallOutcome outcome = (*worker)->Wait();
        EXPECT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.Text();
        EXPECT_EQ(outcome.reply.forked() == 0, alpha == 0) << alpha;
      }
      EXPECT_GE(CopiesOf("vendor_forks"), 2);  // the worker and its keeper
      worker->reset();
      EXPECT_EQ(CopiesOf("vendor_forks"), 0);
    });
    thread.join();
  }
}

TEST_F(SandboxTest, TheOwnFolderOfAKilledAgentsWorkerIsSwept) {
  const TestFolder folder;
  setenv("TMPDIR", folder.path().c_str(), 1);
  options_.sandbox = "strict";
  const pid_t agent = fork();
  if (agent == 0) {
    const auto worker = Worker::Start(options_);
    if (worker.ok()) raise(SIGKILL);
    _exit(1);
  }
  int status = 0;
  EXPECT_EQ(waitpid(agent, &status, 0), agent);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(std::filesystem::is_empty(folder.path()));
  TemporaryFolder::SweepAbandoned();
  unsetenv("TMPDIR");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(SandboxTest, LimitsMemoryOrSaysWhyNot) {
  options_.memory_bytes = uint64_t{16} << 30;
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  const std::string sandbox = FindingText((*worker)->hello().sandbox());
  if (kSanitizer) {
    EXPECT_THAT(sandbox, HasSubstr("could not drop: address space over 17179869184 bytes (this build has a "
                                   "sanitizer"));
    return;
  }
  EXPECT_THAT(sandbox, HasSubstr("address space over 17179869184 bytes"));
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kMemory), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  ASSERT_EQ(outcome.kind, CallOutcome::Kind::kReplied) << outcome.Text();
  EXPECT_THAT(outcome.reply.text(), HasSubstr("Cannot allocate memory"));
}

TEST_F(SandboxTest, MemoryThatIsMappedNowhereIsLimitedOrNot) {
  options_.memory_bytes = uint64_t{1} << 30;
  auto worker = Worker::Start(options_);
  ASSERT_TRUE(worker.ok()) << worker.status();
  const std::string sandbox = FindingText((*worker)->hello().sandbox());
  EXPECT_THAT(sandbox, HasSubstr("memory over 1073741824 bytes"));
  if (sandbox.find("memory over 1073741824 bytes (") != std::string::npos) GTEST_SKIP() << sandbox;
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kMemoryFile), AddInputs({2, 3}), 2).ok());
  const CallOutcome outcome = (*worker)->Wait();
  EXPECT_EQ(outcome.kind, CallOutcome::Kind::kCrashed) << outcome.Text();
  EXPECT_EQ(outcome.signal_name, "SIGKILL") << outcome.Text();
  ASSERT_TRUE((*worker)->Submit(AddCase({2, 3}, kSelf), AddInputs({2, 3}), 2).ok());
  EXPECT_EQ((*worker)->Wait().kind, CallOutcome::Kind::kReplied);
}

}  // namespace
}  // namespace diopi::loader
