// Compares the table of docs/untrusted-libraries.md with what vendor_hostile achieves in whole runs: on a
// terminal, in each sandbox mode, as root and as another user. The columns of root and of the example with
// two users are tested only as root.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "build_paths.h"
#include "cases/base/descriptor.h"
#include "client/testing/foreign_objects.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using Arguments = std::vector<std::string>;
using Column = std::map<std::string, std::string>;  // attempt -> "held" or "open"

constexpr char kPage[] = DIOPI_SOURCE_DIR "/docs/untrusted-libraries.md";
constexpr char kToken[] = "diopi_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
constexpr uid_t kNobody = 65534;

// The columns of the page's table by their headings, "default, root".
std::map<std::string, Column> ReadTable() {
  std::map<std::string, Column> columns;
  std::vector<std::string> headings;
  for (const absl::string_view line : absl::StrSplit(ReadFile(kPage), '\n')) {
    if (!headings.empty() && !absl::StartsWith(line, "|")) break;  // the page has other tables
    if (!absl::StartsWith(line, "| ")) continue;
    std::vector<std::string> cells = absl::StrSplit(line, '|');
    for (std::string& cell : cells) absl::StripAsciiWhitespace(&cell);
    if (headings.empty()) {
      headings = cells;
      continue;
    }
    for (size_t i = 2; i + 1 < cells.size() && i < headings.size(); ++i) {
      columns[headings[i]][cells[1]] = cells[i];
    }
  }
  return columns;
}

// What the library printed.
Column ReadAttempts(const std::string& printed) {
  constexpr absl::string_view kMark = "hostile: ";
  Column column;
  for (const absl::string_view line : absl::StrSplit(printed, '\n')) {
    const size_t at = line.find(kMark);
    if (at == absl::string_view::npos) continue;
    const std::vector<std::string> parts =
        absl::StrSplit(absl::StripAsciiWhitespace(line.substr(at + kMark.size())), ": ");
    if (parts.size() == 2) column[parts[0]] = parts[1] == "done" ? "open" : "held";
  }
  return column;
}

// The type of a file's handle, and its bytes in hex, for open_by_handle_at; empty: its file system has none.
std::string HandleOf(const std::string& path) {
  alignas(file_handle) char bytes[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
  auto* handle = reinterpret_cast<file_handle*>(bytes);
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  if (name_to_handle_at(AT_FDCWD, path.c_str(), handle, &mount, 0) != 0) return "";
  const absl::string_view id(bytes + sizeof(file_handle), handle->handle_bytes);
  return absl::StrCat(handle->handle_type, ":", absl::BytesToHexString(id));
}

// The device node of the disk that a file is on; empty: there is none, or this user may not read it.
std::string DiskOf(const std::string& path) {
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return "";
  const std::string about =
      ReadFile(absl::StrCat("/sys/dev/block/", major(file.st_dev), ":", minor(file.st_dev), "/uevent"));
  for (const absl::string_view line : absl::StrSplit(about, '\n')) {
    if (!absl::StartsWith(line, "DEVNAME=")) continue;
    const std::string node = absl::StrCat("/dev/", line.substr(line.find('=') + 1));
    return Descriptor(open(node.c_str(), O_RDONLY | O_CLOEXEC)).valid() ? node : "";
  }
  return "";
}

class HostileLibraryTest : public ::testing::Test {
 protected:
  HostileLibraryTest() {
    // The other user must get through this folder to its own.
    std::filesystem::permissions(folder_.path(), std::filesystem::perms::owner_all |
                                                     std::filesystem::perms::group_exec |
                                                     std::filesystem::perms::others_exec);
  }

  static bool Root() { return geteuid() == 0; }

  // A folder that only `user` can look into.
  std::string MakeFolder(const std::string& name, uid_t user) const {
    std::string path = folder_ / name;
    std::filesystem::create_directories(path);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    if (user != geteuid()) {
      EXPECT_EQ(chown(path.c_str(), user, user), 0) << path;
    }
    return path;
  }

  static Arguments As(uid_t user, Arguments command) {
    if (user == geteuid()) return command;
    const std::string id = absl::StrCat(user);
    Arguments all = {"/usr/bin/setpriv", "--reuid", id, "--regid", id, "--clear-groups"};
    all.insert(all.end(), command.begin(), command.end());
    return all;
  }

  // An agent's command over these operators.
  static Arguments Smoke(const std::string& sandbox, const Arguments& operators, const Arguments& more,
                         const std::string& library = "vendor_hostile") {
    Arguments command = {BinPath("diopi-agent"),
                         "--impl",
                         VendorPath(library),
                         "--sandbox",
                         sandbox,
                         "--suite",
                         "smoke",
                         "--dtype",
                         "float32",
                         "--quiet",
                         "--fname"};
    for (const Arguments* part : {&operators, &more})
      command.insert(command.end(), part->begin(), part->end());
    return command;
  }

  // What finds a terminal, in a folder where the agent's data is mounted a second time if this user may
  // mount.
  static Arguments OnTerminal(const std::string& command, const std::string& data, const std::string& mount) {
    Arguments script = {"/usr/bin/script", "-qec", command, "/dev/null"};
    if (!CanMount()) return script;
    std::filesystem::create_directories(mount);
    Arguments all = {"/usr/bin/unshare",
                     "--mount",
                     "/bin/sh",
                     "-c",
                     "mount --bind \"$1\" \"$2\" && shift 2 && exec \"$@\"",
                     "sh",
                     data,
                     mount};
    all.insert(all.end(), script.begin(), script.end());
    return all;
  }

  // The agent as `user`, with a terminal of its own, in the folder with the baselines if that is its user's.
  // `left`: whether shared memory of the library's stays behind.
  Finished Agent(uid_t user, const std::string& sandbox, const std::string& home, const std::string& data,
                 const Arguments& more, bool* left) const {
    Arguments command = Smoke(sandbox, {"add", "neg", "abs", "floor", "ceil"}, more);
    command.insert(command.end(), {"--error-report", home + "/errors.csv"});
    const Running neighbour(As(user, {"/bin/sleep", "1000"}), {});
    const std::string socket = home + "/socket";
    Running users_server(As(user, {BinPath("diopi-server"), "--data", home + "/users_data", "--listen",
                                   "unix:" + socket, "--ready-fd", "1", "--log-level", "off"}),
                         {});
    EXPECT_NE(users_server.WaitForLine("ready "), "");
    const std::string reference = data + "/baselines/cpu/add.h5";
    const std::string mount = home + "/mount";
    const std::string folder = server_ == 0 ? data + "/baselines" : home;
    const ForeignObjects objects(user, home);
    Arguments environment = {absl::StrCat("DIOPI_TOKEN=", kToken),
                             "DIOPI_TEST_DATA=" + data,
                             "DIOPI_TEST_HOME=" + home,
                             absl::StrCat("DIOPI_TEST_NEIGHBOUR=", neighbour.pid()),
                             absl::StrCat("DIOPI_TEST_SERVER=", server_),
                             "DIOPI_TEST_SOCKET=" + socket,
                             "DIOPI_TEST_MOUNT=" + mount,
                             "DIOPI_TEST_HANDLE=" + HandleOf(reference),
                             "DIOPI_TEST_DISK=" + DiskOf(reference),
                             "DIOPI_TEST_TOKEN_FILE=" + TokenFile(home)};
    for (const std::string& variable : objects.Environment()) environment.push_back(variable);
    Finished run = RunProgram(
        OnTerminal("cd " + folder + " && exec " + absl::StrJoin(As(user, command), " "), data, mount),
        environment);
    *left = objects.FindLeftSharedMemory();
    return run;
  }

  // What the library has found, prints included, and what the verdicts and the machine show.
  static Column FindAttempts(const Finished& run, const StoredRun& stored, bool left_memory) {
    Column found = ReadAttempts(run.out);
    AddVerdicts(stored, &found);
    found["leave shared memory behind"] = left_memory ? "open" : "held";
    return found;
  }

  static std::string TokenFile(const std::string& home) { return home + "/agent.token"; }

  static bool CanMount() {
    static const bool can = RunProgram({"/usr/bin/unshare", "--mount", "/bin/true"}).code == 0;
    return can;
  }

  // Adds the attempts whose success only the verdicts show.
  static void AddVerdicts(const StoredRun& run, Column* column) {
    struct Attempt {
      std::string name;
      std::string function;
      v1::Outcome held;
    };
    for (const Attempt& attempt :
         {Attempt{"hide a write out of bounds", "diopiNeg", v1::OUTCOME_MEMORY},
          Attempt{"hide a changed input", "diopiAbs", v1::OUTCOME_MEMORY},
          Attempt{"make the agent wait for a FIFO", "diopiFloor", v1::OUTCOME_CRASH}}) {
      (*column)[attempt.name] = "open";
      for (const v1::Verdict& verdict : run.verdicts) {
        if (verdict.function() == attempt.function && verdict.outcome() == attempt.held) {
          (*column)[attempt.name] = "held";
        }
      }
    }
  }

  // What vendor_forger gains by answering in its worker's name; forging_library_test has more of its ways.
  static void AddForgeries(uid_t user, const std::string& sandbox, const std::string& data,
                           const Arguments& more, Column* column) {
    for (const auto& [attempt, way] : kForgeries) {
      const Finished run =
          RunProgram(As(user, Smoke(sandbox, {"add"}, more, "vendor_forger")), {"DIOPI_TEST_FORGE=" + way});
      const StoredRun stored = WithoutLibraryChecks(ReadRun(data));
      const bool gained =
          std::any_of(stored.verdicts.begin(), stored.verdicts.end(), [](const v1::Verdict& verdict) {
            const v1::Outcome outcome = verdict.outcome();
            return !NothingToGetWrong(verdict) && outcome != v1::OUTCOME_FAIL && outcome != v1::OUTCOME_CRASH;
          });
      (*column)[attempt] = run.code == 1 && !gained ? "held" : "open";
    }
  }

  // The value of a line of /proc/PID/status; empty when there is no such process, as one that has just ended.
  static std::string StatusOf(pid_t pid, const std::string& name) {
    std::ifstream file(absl::StrCat("/proc/", pid, "/status"));
    for (std::string line; std::getline(file, line);) {
      if (absl::StartsWith(line, name + ":")) {
        return std::string(absl::StripAsciiWhitespace(line.substr(name.size() + 1)));
      }
    }
    return "";
  }

  // 0: the text is no number.
  static pid_t PidOf(const std::string& text) {
    pid_t pid = 0;
    return absl::SimpleAtoi(text, &pid) ? pid : 0;
  }

  static bool IsBelow(pid_t pid, pid_t ancestor) {
    while (pid > 1 && pid != ancestor) pid = PidOf(StatusOf(pid, "PPid"));
    return pid == ancestor;
  }

  // Our number for a process below `ancestor` that calls itself `number`, in a PID namespace perhaps; or 0.
  static pid_t FindOutside(const std::string& number, pid_t ancestor) {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      const pid_t pid = PidOf(entry.path().filename());
      if (pid <= 0) continue;
      const std::vector<std::string> numbers = absl::StrSplit(StatusOf(pid, "NSpid"), '\t');
      if (numbers.back() == number && IsBelow(pid, ancestor)) return pid;
    }
    return 0;
  }

  // Whether a process that the library has forked ends when the agent is killed: "held" or "open".
  static std::string LeaveBehind(uid_t user, const std::string& sandbox, const Arguments& more) {
    const Arguments agent = Smoke(sandbox, {"add"}, more);
    Running running({"/bin/sh", "-c", "exec " + absl::StrJoin(As(user, agent), " ") + " 2>&1"},
                    {absl::StrCat("DIOPI_TOKEN=", kToken), "DIOPI_TEST_LEAVE=yes"});
    const std::string line = running.WaitForLine("left behind: ");
    const std::string number(absl::StripAsciiWhitespace(line.substr(std::min(line.size(), line.rfind(' ')))));
    const pid_t left = FindOutside(number, running.pid());
    EXPECT_GT(left, 1) << line;
    const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, left, 0)));
    EXPECT_TRUE(process.valid());
    running.Signal(SIGKILL);
    constexpr int kPatienceMs = 5000;
    pollfd ended{process.get(), POLLIN, 0};
    const bool held = poll(&ended, 1, kPatienceMs) > 0;
    if (!held) syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
    running.Finish();
    return held ? "held" : "open";
  }

  // Generates them once, because that takes longer than a run.
  void CopyBaselines(uid_t user, const std::string& data) {
    const std::string made = folder_ / "made";
    if (!std::filesystem::exists(made)) {
      const Finished gen = RunProgram({BinPath("diopi-cli"), "gen", "--data", made, "--fname", "add", "neg",
                                       "abs", "floor", "ceil", "--quiet"});
      ASSERT_EQ(gen.code, 0) << gen.err;
    }
    std::filesystem::copy(made + "/baselines", data + "/baselines", std::filesystem::copy_options::recursive);
    if (user == geteuid()) return;
    const std::string owner = absl::StrCat(user, ":", user);
    ASSERT_EQ(RunProgram({"/bin/chown", "-R", owner, data + "/baselines"}).code, 0);
  }

  // The agent starts its own server.
  void CheckOwnServer(uid_t user, const std::string& sandbox, const std::string& heading) {
    const std::string home = MakeFolder(absl::StrCat("home_", sandbox, "_", user), user);
    const std::string data = home + "/data";
    const Finished token = RunProgram(
        As(user, {BinPath("diopi-server"), "token", "add", "--data", data, "--name", "ci", "--role", "run"}));
    ASSERT_EQ(token.code, 0) << token.err;
    CopyBaselines(user, data);
    const std::string file = MakeTokenFile(user, home, token.out);
    bool left = false;
    const Finished run = Agent(user, sandbox, home, data, {"--data", data, "--token-file", file}, &left);
    ASSERT_EQ(run.code, 1) << run.out;
    const StoredRun stored = ReadRun(data);
    Column found = FindAttempts(run, stored, left);
    AddForgeries(user, sandbox, data, {"--data", data, "--error-report", home + "/forged.csv"}, &found);
    found[kLeave] = LeaveBehind(user, sandbox, {"--data", data, "--error-report", home + "/more_errors.csv"});
    Check(heading, user, found, stored.info.options().sandbox(), run.out);
    CheckForged(stored, found.contains(kReport) && found.at(kReport) == "open");
  }

  static std::string MakeTokenFile(uid_t user, const std::string& home, const std::string& token) {
    std::string file = TokenFile(home);
    WriteFile(file, token);
    EXPECT_EQ(chown(file.c_str(), user, user), 0) << file;
    std::filesystem::permissions(file, std::filesystem::perms::owner_read);
    return file;
  }

  // `user`: the agent's. `sandbox`: its text in the run's record. Skips rows that this kernel cannot hold,
  // which the record must name, and those for which this machine lacks what the library would use.
  void Check(const std::string& heading, uid_t user, Column found, const std::string& sandbox,
             const std::string& printed) const {
    const std::map<std::string, Column> table = ReadTable();
    ASSERT_TRUE(table.contains(heading)) << heading << " is not a column of " << kPage;
    Column expected = table.at(heading);
    const std::string retained = sandbox.substr(std::min(sandbox.size(), sandbox.find("could not drop")));
    Arguments skipped;
    for (const auto& [what, attempts] : kHeldByKernel) {
      if (absl::StrContains(retained, what)) skipped.insert(skipped.end(), attempts.begin(), attempts.end());
    }
    if (!CanMount()) skipped.emplace_back("read references through another mount");
    if (HandleOf(folder_.path()).empty()) skipped.emplace_back("read references by their file handles");
    if (DiskOf(folder_.path()).empty()) skipped.emplace_back("read the disk that DATA is on");
    if (!CanOpenKernelDevices(user)) skipped.emplace_back(kKernelDevices);
    for (const std::string& attempt : skipped) {
      found.erase(attempt);
      expected.erase(attempt);
    }
    EXPECT_EQ(found, expected) << heading << "\n" << sandbox << "\n" << printed;
  }

  // Whether `user` may run the built programs: not if the checkout is in somebody's private folder.
  static bool CanRun(uid_t user) {
    return RunProgram(As(user, {"/usr/bin/test", "-x", BinPath("diopi-agent")})).code == 0;
  }

  static bool CanOpenKernelDevices(uid_t user) {
    constexpr char kScript[] =
        "for name in kmsg kvm fuse net/tun userfaultfd; do (: < /dev/$name) 2>&- && exit 0; done; exit 1";
    return RunProgram(As(user, {"/bin/sh", "-c", kScript})).code == 0;
  }

  // vendor_hostile's forged verdicts have a reason that no others have.
  static void CheckForged(const StoredRun& run, bool expected) {
    const auto forged =
        std::count_if(run.verdicts.begin(), run.verdicts.end(),
                      [](const v1::Verdict& verdict) { return verdict.reason() == "forged"; });
    EXPECT_EQ(forged > 0, expected) << forged << " of " << run.verdicts.size();
  }

  inline static const std::map<std::string, std::string> kForgeries = {
      {"pass by answering in its worker's name", "check passes"},
      {"be excused by answering in its worker's name", "nothing is written"},
      {"end the run by answering in its worker's name", "400 kB of findings"},
      {"end the run by its name", "the name is an escape"}};
  static constexpr char kLeave[] = "leave a process behind a killed agent";
  static constexpr char kKernelDevices[] = "open /dev/kmsg, kvm, fuse, net/tun or userfaultfd";
  static constexpr char kReport[] = "report PASS to the server";
  inline static const std::map<std::string, Arguments> kHeldByKernel = {
      {"reading other processes", {"open the memory of its user's other programs"}},
      {"reading and writing files", {"write a file"}},
      {"shared memory of other programs",
       {"read another program's shared memory", "overwrite another program's shared memory",
        "leave shared memory behind"}},
      {"other device files",
       {kKernelDevices, "overwrite another program's file in /dev/shm",
        "read what is typed at another terminal", "write to another terminal",
        "read the disk that DATA is on"}},
      {"outlasting the agent when memory runs out", {"have the kernel end the agent when memory runs out"}},
      {"reading the data folder",
       {"read references in DATA", "read references through another process",
        "read references from its working folder", "read references through another mount", "uncover DATA",
        "read the agent's token file", "change the mode of DATA/tokens"}},
  };
  TestFolder folder_;
  pid_t server_ = 0;  // 0: the agent starts its own
};

TEST_F(HostileLibraryTest, HoldsWhatThePageSays) {
  const uid_t user = Root() ? kNobody : geteuid();
  for (const char* sandbox : {"off", "default", "strict"}) {
    if (CanRun(user)) CheckOwnServer(user, sandbox, absl::StrCat(sandbox, ", user"));
    if (Root()) CheckOwnServer(geteuid(), sandbox, absl::StrCat(sandbox, ", root"));
  }
}

// The page's example.
TEST_F(HostileLibraryTest, TwoUsersHoldMore) {
  if (!Root()) GTEST_SKIP() << "one user cannot be two";
  if (!CanRun(kNobody)) GTEST_SKIP() << "another user cannot run " << BinPath("diopi-agent");
  const std::string data = MakeFolder("data", 0);
  const std::string home = MakeFolder("home", kNobody);
  CopyBaselines(0, data);
  const Finished token = RunProgram(
      {BinPath("diopi-server"), "token", "add", "--data", data, "--name", "agent", "--role", "run"});
  ASSERT_EQ(token.code, 0) << token.err;
  const std::string file = MakeTokenFile(kNobody, home, token.out);
  Running server({BinPath("diopi-server"), "--data", data, "--listen", "127.0.0.1:0", "--ready-fd", "1",
                  "--log-level", "off"},
                 {});
  const std::string ready = server.WaitForLine("ready ");
  ASSERT_NE(ready, "");
  server_ = server.pid();
  const std::string address(absl::StripAsciiWhitespace(ready.substr(6)));
  const Arguments more = {"--server", address, "--token-file", file};
  bool left = false;
  const Finished run = Agent(kNobody, "default", home, data, more, &left);
  ASSERT_EQ(run.code, 1) << run.out;
  const StoredRun stored = ReadRun(data);
  Column found = FindAttempts(run, stored, left);
  Arguments leaving = more;
  leaving.insert(leaving.end(), {"--error-report", home + "/more_errors.csv"});
  AddForgeries(kNobody, "default", data, leaving, &found);
  found[kLeave] = LeaveBehind(kNobody, "default", leaving);
  Check("default, two users", kNobody, found, stored.info.options().sandbox(), run.out);
  CheckForged(stored, false);
}

}  // namespace
}  // namespace diopi::testing
