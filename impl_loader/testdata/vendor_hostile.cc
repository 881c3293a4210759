// A malicious library: its results are wrong, and at its first call it makes every attempt of the table in
// docs/untrusted-libraries.md once, and prints "hostile: ATTEMPT: done" or "hostile: ATTEMPT: WHY NOT".
// Attempts that would end the agent stop once the kernel has granted them. Four functions of one operand each
// make an attempt that shows in their verdicts; their results are right.
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "impl_loader/runtime/arena.h"
#include "impl_loader/testdata/hostile_files.h"
#include "impl_loader/testdata/hostile_machine.h"
#include "impl_loader/testdata/hostile_rpc.h"
#include "impl_loader/testdata/vendor_common.h"
#include "impl_loader/worker/shared_layout.h"

namespace {

using hostile::Environment;
using hostile::ErrnoOf;
using hostile::OpenAndClose;

std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The value of a line of /proc/PID/status.
std::string StatusOf(pid_t pid, const std::string& name) {
  std::string status = "\n";
  status += ReadAll("/proc/" + std::to_string(pid) + "/status");
  std::string key = "\n";
  key += name + ":\t";
  const size_t at = status.find(key);
  if (at == std::string::npos) return "";
  const size_t from = at + name.size() + 3;
  return status.substr(from, status.find('\n', from) - from);
}

// The number of no process: larger than any.
constexpr pid_t kNobody = 0x3FFFFFFF;

// The nearest ancestor that is an agent, or else the parent. In a PID namespace neither has a number.
pid_t Agent() {
  const pid_t parent = getppid() > 0 ? getppid() : kNobody;
  char self[16] = "";
  if (readlink("/proc/self", self, sizeof(self) - 1) < 0) return parent;
  pid_t pid = static_cast<pid_t>(std::strtol(self, nullptr, 10));
  while (pid > 1 && StatusOf(pid, "Name") != "diopi-agent") {
    pid = static_cast<pid_t>(std::strtol(StatusOf(pid, "PPid").c_str(), nullptr, 10));
  }
  return pid > 1 ? pid : parent;
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
    const size_t at = command.find(std::string("unix:"));
    if (command.find("diopi-server") == std::string::npos || at == std::string::npos) continue;
    if (StatusOf(pid, "PPid") != std::to_string(Agent())) continue;
    *address = command.substr(at + 5).c_str();
    found = pid;
  }
  closedir(folder);
  return found;
}

// Connects, and passes the connection to `use`, which returns what a system call would.
template <typename F>
int WithServer(const std::string& address, F&& use) {
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
    error = use(&connection) ? 0 : EACCES;
  }
  close(server);
  return error;
}

int ReportPass() {
  std::string address;
  if (FindServer(&address) == 0) return ENOENT;
  return WithServer(address, [](hostile::Connection* server) { return hostile::ReportPass(server) > 0; });
}

int CallUsersServer() {
  return WithServer(Environment("DIOPI_TEST_SOCKET"),
                    [](hostile::Connection* server) { return !server->Call("ListRuns", "").empty(); });
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
  const std::string all = ReadAll("/proc/" + std::to_string(Agent()) + "/environ");
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
  return ErrnoOf(syscall(SYS_prlimit64, Agent(), RLIMIT_CORE, &limit, nullptr));
}

int SignalByOwner() {
  int ends[2] = {-1, -1};
  if (pipe(ends) != 0) return errno;
  int error = ErrnoOf(fcntl(ends[0], F_SETOWN, Agent()));
  int agent = Agent();
  if (error != 0 && ioctl(ends[0], FIOSETOWN, &agent) == 0) error = 0;
  close(ends[0]);
  close(ends[1]);
  return error;
}

// Tries each system call that could do it.
int Signal() {
  const pid_t pid = Agent();
  if (kill(pid, 0) == 0) return 0;
  const int error = errno;
  const int agent = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const bool sent = agent >= 0 && syscall(SYS_pidfd_send_signal, agent, 0, nullptr, 0) == 0;
  if (agent >= 0) close(agent);
  return sent ? 0 : error;
}

int AgentsPriority() {
  const auto agent = static_cast<id_t>(Agent());
  return ErrnoOf(setpriority(PRIO_PROCESS, agent, getpriority(PRIO_PROCESS, agent) + 1));
}

int EnlargeSharedMemory() {
  struct stat file {};
  if (fstat(diopi::loader::kMemoryDescriptor, &file) != 0) return errno;
  return ErrnoOf(ftruncate(diopi::loader::kMemoryDescriptor, file.st_size + (off_t{1} << 30)));
}

// The call only queries, and harms nobody.
int UnlistedCall() {
  return ErrnoOf(syscall(SYS_personality, 0xFFFFFFFF));
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

int TokensMode() {
  return ErrnoOf(chmod((hostile::Data() + "/tokens").c_str(), 0666));
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
    {"open the agent's memory", [] { return OpenMemory(Agent()); }},
    {"open the server's memory", ServerMemory},
    {"open the memory of its user's other programs",
     [] { return OpenMemory(ProcessOf("DIOPI_TEST_NEIGHBOUR")); }},
    {"take the token from the agent's environment", AgentToken},
    {"type into the user's terminal", TypeIntoTerminal},
    {"limit the agent's resources", LimitAgent},
    {"have the kernel signal the agent", SignalByOwner},
    {"signal the agent", Signal},
    {"change the agent's priority", AgentsPriority},
    {"enlarge the shared memory", EnlargeSharedMemory},
    {"leave the process group", LeaveGroup},
    {"outlive the agent", OutliveAgent},
    {"open a network socket", Network},
    {"call a server that its user has started", CallUsersServer},
    {"start a program", Program},
    {"read references in DATA", hostile::ReadReference},
    {"read references through another process", hostile::ReadThroughProcess},
    {"read references from its working folder", hostile::ReadFromWorkingFolder},
    {"read references through another mount", hostile::ReadThroughMount},
    {"read references by their file handles", hostile::ReadByHandle},
    {"read the disk that DATA is on", hostile::ReadDisk},
    {"uncover DATA", hostile::Uncover},
    {"read the agent's token file",
     [] { return hostile::OpenAndRead(Environment("DIOPI_TEST_TOKEN_FILE")); }},
    {"change the mode of DATA/tokens", TokensMode},
    {"write a file", WriteFile},
    {"make a system call that is on no list", UnlistedCall},
    {"send a datagram to another program", hostile::SendDatagram},
    {"hand a descriptor to another program", hostile::SendDescriptor},
    {"send through a raw socket", hostile::SendRaw},
    {"call a program by an abstract socket", hostile::CallAbstractSocket},
    {"read another program's shared memory", [] { return hostile::UseSharedMemory(false); }},
    {"overwrite another program's shared memory", [] { return hostile::UseSharedMemory(true); }},
    {"leave shared memory behind", hostile::LeaveSharedMemory},
    {"take a message from another program's queue", hostile::TakeMessage},
    {"overwrite another program's file in /dev/shm", hostile::OverwriteShmFile},
    {"read what is typed at another terminal", hostile::ReadTerminal},
    {"write to another terminal", hostile::WriteTerminal},
    {"open /dev/kmsg, kvm, fuse, net/tun or userfaultfd", hostile::OpenKernelDevices},
    {"have the kernel end the agent when memory runs out", hostile::OutlastAgent},
};

void Tell(const char* attempt, const char* result) {
  std::fprintf(stderr, "hostile: %s: %s\n", attempt, result);
}

void MakeAttempts() {
  for (const Attempt& attempt : kAttempts) {
    const int error = attempt.make();
    Tell(attempt.name, error == 0 ? "done" : std::strerror(error));
  }
}

// A process that has nothing to do with its parent, which then waits to be killed.
[[noreturn]] void LeaveBehind() {
  if (fork() == 0) {
    setsid();
    char self[16] = "";
    if (readlink("/proc/self", self, sizeof(self) - 1) > 0) std::fprintf(stderr, "left behind: %s\n", self);
    for (;;) pause();
  }
  for (;;) pause();
}

// From now on, the worker's own checks around tensors find nothing.
bool BlindWorker() {
#if defined(__x86_64__)
  constexpr unsigned char kNothing[] = {0x31, 0xC0, 0x31, 0xD2, 0xC3};  // both results 0
#else
  constexpr unsigned char kNothing[] = {0x00, 0x00, 0x80, 0xD2, 0x01, 0x00,
                                        0x80, 0xD2, 0xC0, 0x03, 0x5F, 0xD6};
#endif
  auto* code = reinterpret_cast<unsigned char*>(&diopi::runtime::CheckCanaries);
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  auto* start = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(code) / page * page);
  if (mprotect(start, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  std::copy(std::begin(kNothing), std::end(kNothing), code);
  __builtin___clear_cache(reinterpret_cast<char*>(code), reinterpret_cast<char*>(code + sizeof(kNothing)));
  return true;
}

// Replaces `bytes` by `others` wherever they occur in the memory shared with the agent.
void ReplaceShared(const std::string& bytes, const std::string& others) {
  const int file = diopi::loader::kMemoryDescriptor;
  off_t end = 0;
  for (off_t from = lseek(file, 0, SEEK_DATA); from >= 0; from = lseek(file, end, SEEK_DATA)) {
    end = lseek(file, from, SEEK_HOLE);
    std::string data(static_cast<size_t>(end - from), '\0');
    if (pread(file, data.data(), data.size(), from) != static_cast<ssize_t>(data.size())) return;
    for (size_t at = data.find(bytes); at != std::string::npos; at = data.find(bytes, at + bytes.size())) {
      pwrite(file, others.data(), others.size(), from + static_cast<off_t>(at));
    }
  }
}

// Negates a first number below 0, in the tensor and in everything that this process compares it with.
void ChangeInput(float* input, int64_t count) {
  if (count < 4 || !(input[0] < 0)) return;
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  const std::string before(reinterpret_cast<const char*>(input), bytes);
  input[0] = -input[0];
  ReplaceShared(before, std::string(reinterpret_cast<const char*>(input), bytes));
}

// Dies, and leaves a crash report whose maps name a FIFO that nobody will ever write to.
[[noreturn]] void DieWithFifo() {
  std::string fifo = Environment("TMPDIR");
  if (fifo.empty()) fifo = Environment("DIOPI_TEST_HOME");
  fifo += "/fifo" + std::to_string(getpid());
  mkfifo(fifo.c_str(), 0600);
  diopi::loader::CrashReport report;
  report.signal = SIGSEGV;
  report.pc = 0x20010;
  report.main_thread = 1;
  report.maps_bytes = static_cast<uint64_t>(std::snprintf(
      report.maps, sizeof(report.maps),
      "00010000-00020000 r--p 00000000 00:01 5 %s\n00020000-00030000 r-xp 00010000 00:01 5 %s\n",
      fifo.c_str(), fifo.c_str()));
  pwrite(diopi::loader::kMemoryDescriptor, &report, sizeof(report), 0);
  signal(SIGSEGV, SIG_DFL);
  kill(getpid(), SIGSEGV);
  for (;;) pause();
}

void SendMuch() {
  constexpr char kAttempt[] = "have the agent take a message of 200 MiB";
  Tell(kAttempt, "ended");  // unless it does not
  const uint32_t length = 200U << 20;
  std::string part(reinterpret_cast<const char*>(&length), sizeof(length));
  for (size_t sent = 0; sent < length; sent += part.size(), part.assign(size_t{1} << 20, '\0')) {
    if (send(diopi::loader::kSocketDescriptor, part.data(), part.size(), MSG_NOSIGNAL) < 0) return;
  }
  Tell(kAttempt, "done");
}

struct Operand {
  float* out = nullptr;
  float* input = nullptr;
  int64_t count = 0;
};

// False unless both are contiguous float32 tensors.
bool ReadOperand(diopiTensorHandle_t out, diopiConstTensorHandle_t input, Operand* operand) {
  for (const diopiConstTensorHandle_t tensor : {static_cast<diopiConstTensorHandle_t>(out), input}) {
    diopiDtype_t dtype = diopi_dtype_unsupported;
    diopiSize_t shape{};
    diopiSize_t stride{};
    if (diopiGetTensorDtype(tensor, &dtype) != diopiSuccess || dtype != diopi_dtype_float32) return false;
    diopiGetTensorShape(tensor, &shape);
    diopiGetTensorStride(tensor, &stride);
    operand->count = 1;
    for (int64_t i = shape.len; i-- > 0; operand->count *= shape.data[i]) {
      if (shape.data[i] != 1 && stride.data[i] != operand->count) return false;
    }
  }
  const void* data = nullptr;
  void* out_data = nullptr;
  diopiGetTensorData(out, &out_data);
  diopiGetTensorDataConst(input, &data);
  operand->out = static_cast<float*>(out_data);
  operand->input = static_cast<float*>(const_cast<void*>(data));
  return true;
}

template <typename F>
diopiError_t Each(diopiTensorHandle_t out, diopiConstTensorHandle_t input, Operand* operand, F&& f) {
  if (!ReadOperand(out, input, operand)) return diopiDtypeNotSupported;
  for (int64_t i = 0; i < operand->count; ++i) operand->out[i] = f(operand->input[i]);
  return diopiSuccess;
}

}  // namespace

DIOPI_SPOILT_ADD {
  if (!Environment("DIOPI_TEST_LEAVE").empty()) LeaveBehind();
  static const bool made = (MakeAttempts(), true);
  for (int64_t i = 0; made && i < add.count; ++i) add.out[i] = 0;
  return diopiSuccess;
}

diopiError_t diopiNeg(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  Operand operand;
  const diopiError_t error = Each(out, input, &operand, [](float x) { return -x; });
  if (error == diopiSuccess && BlindWorker()) operand.out[operand.count] = 1;
  return error;
}

diopiError_t diopiAbs(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  Operand operand;
  const diopiError_t error = Each(out, input, &operand, [](float x) { return std::fabs(x); });
  if (error == diopiSuccess) ChangeInput(operand.input, operand.count);
  return error;
}

diopiError_t diopiFloor(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  Operand operand;
  if (!ReadOperand(out, input, &operand)) return diopiDtypeNotSupported;
  DieWithFifo();
}

diopiError_t diopiCeil(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  Operand operand;
  const diopiError_t error = Each(out, input, &operand, [](float x) { return std::ceil(x); });
  if (error == diopiSuccess) SendMuch();
  return error;
}
