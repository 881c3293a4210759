// A malicious library: its results are wrong, and at its first call it makes every attempt of the table in
// docs/untrusted-libraries.md once, and prints "hostile: ATTEMPT: done" or "hostile: ATTEMPT: WHY NOT".
// Attempts that would end the agent stop once the kernel has granted them.
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "impl_loader/testdata/hostile_rpc.h"
#include "impl_loader/testdata/vendor_common.h"

namespace {

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The result of a system call as an errno; 0: success.
int ErrnoOf(long result) {
  return result < 0 ? errno : 0;
}

int OpenAndClose(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0600);
  const int error = ErrnoOf(file);
  if (file >= 0) close(file);
  return error;
}

// The server that the agent has started, by its command line.
pid_t FindServer(std::string* address) {
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return 0;
  pid_t found = 0;
  while (const dirent* entry = readdir(folder)) {
    const pid_t pid = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (pid <= 0) continue;
    const std::string name = "/proc/" + std::to_string(pid);
    const std::string command = ReadAll(name + "/cmdline");
    const std::string parent = "\nPPid:\t" + std::to_string(getppid()) + "\n";
    const size_t at = command.find(std::string("unix:"));
    if (command.find("diopi-server") == std::string::npos || at == std::string::npos) continue;
    if (ReadAll(name + "/status").find(parent) == std::string::npos) continue;
    *address = command.substr(at + 5).c_str();
    found = pid;
  }
  closedir(folder);
  return found;
}

int ReportPass() {
  std::string address = Environment("DIOPI_TEST_SOCKET");
  if (address.empty() && FindServer(&address) == 0) return ENOENT;
  const int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (server < 0) return errno;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::snprintf(to.sun_path, sizeof(to.sun_path), "%s", address.c_str());
  const timeval patience{5, 0};
  setsockopt(server, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  int error = ErrnoOf(connect(server, reinterpret_cast<sockaddr*>(&to), sizeof(to)));
  if (error == 0) {
    hostile::Connection connection(server);
    error = hostile::ReportPass(&connection) > 0 ? 0 : EACCES;
  }
  close(server);
  return error;
}

int OpenMemory(pid_t pid) {
  return pid == 0 ? ENOENT : OpenAndClose("/proc/" + std::to_string(pid) + "/mem", O_RDWR);
}

pid_t ProcessOf(const char* name) {
  return static_cast<pid_t>(std::strtol(Environment(name).c_str(), nullptr, 10));
}

int ServerMemory() {
  std::string address;
  const pid_t given = ProcessOf("DIOPI_TEST_SERVER");
  return OpenMemory(given != 0 ? given : FindServer(&address));
}

int AgentToken() {
  const std::string all = ReadAll("/proc/" + std::to_string(getppid()) + "/environ");
  return all.find("DIOPI_TOKEN=diopi_") != std::string::npos ? 0 : EACCES;
}

int TypeIntoTerminal() {
  const int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC);
  if (terminal < 0) return errno;
  const int error = ErrnoOf(ioctl(terminal, TIOCSTI, "#"));
  close(terminal);
  return error;
}

int LimitAgent() {
  const rlimit limit{0, 0};
  return ErrnoOf(syscall(SYS_prlimit64, getppid(), RLIMIT_CORE, &limit, nullptr));
}

int SignalByOwner() {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return errno;
  int error = ErrnoOf(fcntl(ends[0], F_SETOWN, getppid()));
  int parent = getppid();
  if (error != 0 && ioctl(ends[0], FIOSETOWN, &parent) == 0) error = 0;
  close(ends[0]);
  close(ends[1]);
  return error;
}

// Tries each call that could do it.
int Signal() {
  if (kill(getppid(), 0) == 0) return 0;
  const int error = errno;
  const int agent = static_cast<int>(syscall(SYS_pidfd_open, getppid(), 0));
  const bool sent = agent >= 0 && syscall(SYS_pidfd_send_signal, agent, 0, nullptr, 0) == 0;
  if (agent >= 0) close(agent);
  return sent ? 0 : error;
}

int LeaveGroup() {
  const pid_t child = fork();
  if (child < 0) return errno;
  if (child == 0) _exit(setsid() < 0 ? errno : 0);
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

// PR_SET_PDEATHSIG, with a bit set in the upper half of its argument, which the kernel ignores.
int OutliveAgent() {
  const int error = ErrnoOf(syscall(SYS_prctl, 0x100000001, 0));
  if (error == 0) syscall(SYS_prctl, 1, SIGKILL);
  return error;
}

int Network() {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  if (file >= 0) close(file);
  return ErrnoOf(file);
}

int Program() {
  char program[] = "/bin/true";
  char* const arguments[] = {program, nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, program, nullptr, nullptr, arguments, nullptr);
  if (error == 0) waitpid(pid, nullptr, 0);
  return error;
}

int References() {
  return OpenAndClose(Environment("DIOPI_TEST_DATA") + "/baselines/cpu/add.h5", O_RDONLY);
}

int TokensMode() {
  return ErrnoOf(chmod((Environment("DIOPI_TEST_DATA") + "/tokens").c_str(), 0666));
}

int WriteFile() {
  const std::string path = Environment("DIOPI_TEST_HOME") + "/hostile";
  const int error = OpenAndClose(path, O_WRONLY | O_CREAT);
  if (error == 0) unlink(path.c_str());
  return error;
}

struct Attempt {
  const char* name;
  int (*make)();
};

constexpr Attempt kAttempts[] = {
    {"report PASS to the server", ReportPass},
    {"open the agent's memory", [] { return OpenMemory(getppid()); }},
    {"open the server's memory", ServerMemory},
    {"open the memory of its user's other programs",
     [] { return OpenMemory(ProcessOf("DIOPI_TEST_NEIGHBOUR")); }},
    {"take the token from the agent's environment", AgentToken},
    {"type into the user's terminal", TypeIntoTerminal},
    {"limit the agent's resources", LimitAgent},
    {"have the kernel signal the agent", SignalByOwner},
    {"signal the agent", Signal},
    {"leave the process group", LeaveGroup},
    {"outlive the agent", OutliveAgent},
    {"open a network socket", Network},
    {"start a program", Program},
    {"read references in DATA", References},
    {"change the mode of DATA/tokens", TokensMode},
    {"write a file", WriteFile},
};

void MakeAttempts() {
  for (const Attempt& attempt : kAttempts) {
    const int error = attempt.make();
    std::fprintf(stderr, "hostile: %s: %s\n", attempt.name, error == 0 ? "done" : std::strerror(error));
  }
}

}  // namespace

DIOPI_SPOILT_ADD {
  static const bool made = (MakeAttempts(), true);
  for (int64_t i = 0; made && i < add.count; ++i) add.out[i] = 0;
  return diopiSuccess;
}
