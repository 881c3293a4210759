// Tries to break out of its process in the way that alpha selects. If the attempt is refused, the call
// returns an error that says why; if it succeeds, the call is a correct add.
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "impl_loader/testdata/hostile_rpc.h"
#include "impl_loader/testdata/vendor_common.h"

namespace {

char last_error[256] = "";

int Errno(bool granted) {
  return granted ? 0 : errno;
}

int TrySocket(int family, int type) {
  const int fd = socket(family, type, 0);
  const int error = Errno(fd >= 0);
  if (fd >= 0) close(fd);
  return error;
}

int TryExec() {
  char shell[] = "/bin/sh";
  char flag[] = "-c";
  char command[] = "exit 0";
  char* const arguments[] = {shell, flag, command, nullptr};
  pid_t pid = 0;
  const int error = posix_spawn(&pid, shell, nullptr, nullptr, arguments, nullptr);
  if (error == 0) waitpid(pid, nullptr, 0);
  return error;
}

int TryPtrace() {
  const bool granted = ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0;
  const int error = Errno(granted);
  if (granted) ptrace(PTRACE_DETACH, getppid(), nullptr, nullptr);
  return error;
}

int TryWrite() {
  std::FILE* file = std::fopen(std::getenv("DIOPI_TEST_ESCAPE_FILE"), "w");
  const int error = Errno(file != nullptr);
  if (file != nullptr) std::fclose(file);
  return error;
}

int TryRead() {
  std::FILE* file = std::fopen(std::getenv("DIOPI_TEST_ESCAPE_FILE"), "r");
  if (file == nullptr) return errno;
  const bool empty = std::fgetc(file) == EOF;
  std::fclose(file);
  return empty ? ENODATA : 0;
}

int TryMemory() {
  const size_t bytes = size_t{64} << 30;
  void* memory = std::malloc(bytes);
  const int error = Errno(memory != nullptr);
  std::free(memory);
  return error;
}

// 2 GiB that are mapped nowhere, and so count for no process.
int TryMemoryFile() {
  const int file = memfd_create("escapes", MFD_CLOEXEC);
  if (file < 0) return errno;
  const std::string part(size_t{1} << 20, 'x');
  int error = 0;
  for (int i = 0; i < 2048 && error == 0; ++i) error = Errno(write(file, part.data(), part.size()) > 0);
  close(file);
  return error;
}

// Connects to a socket that nobody listens on.
int TryConnect(int type) {
  const int fd = socket(AF_UNIX, type, 0);
  if (fd < 0) return errno;
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::snprintf(to.sun_path, sizeof(to.sun_path), "/does/not/exist");
  const int error = Errno(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0);
  close(fd);
  return error;
}

// Changes the priority of all the user's processes.
int TryPriority() {
  return Errno(setpriority(PRIO_USER, 0, 19) == 0);
}

int TryOwnFolder() {
  const char* folder = std::getenv("TMPDIR");
  const std::string path =
      std::string(folder == nullptr ? "/tmp" : folder) + "/file" + std::to_string(getpid());
  std::FILE* file = std::fopen(path.c_str(), "w");
  const int error = Errno(file != nullptr);
  if (file != nullptr) std::fclose(file);
  return error != 0 ? error : Errno(unlink(path.c_str()) == 0);
}

int TryUnlistedCall() {
  return Errno(syscall(SYS_personality, 0xFFFFFFFF) >= 0);
}

// Takes the agent's token from the environment.
int TryToken() {
  const char* token = std::getenv("DIOPI_TOKEN");
  return token != nullptr && *token != '\0' ? 0 : ENOENT;
}

// Answers in the worker's place, announcing an output of 100 GiB.
int TryHugeOutput() {
  constexpr uint64_t kFrom = uint64_t{1} << 30;
  constexpr uint64_t kBytes = uint64_t{100} << 30;
  using hostile::Bytes;
  using hostile::Number;
  const std::string output = Bytes(1, "out") + Number(2, 9) +
                             Bytes(3, hostile::Varint(kBytes / sizeof(float))) + Number(4, kFrom) +
                             Number(5, kBytes);
  std::string reply(sizeof(uint32_t), '\0');
  reply += Number(1, 1) + Bytes(5, output);
  const auto length = static_cast<uint32_t>(reply.size() - sizeof(uint32_t));
  std::memcpy(reply.data(), &length, sizeof(length));
  return Errno(write(3, reply.data(), reply.size()) == static_cast<ssize_t>(reply.size()));
}

int Try(int what) {
  switch (what) {
    case 12:
      return TryHugeOutput();
    case 13:
      return TryConnect(SOCK_STREAM);
    case 14:
      return TryConnect(SOCK_DGRAM);
    case 15:
      return TryPriority();
    case 16:
      return TryOwnFolder();
    case 17:
      return TryUnlistedCall();
    case 18:
      return TryRead();
    case 19:
      return TryMemoryFile();
    case 1:
      return TrySocket(AF_INET, SOCK_STREAM);
    case 2:
      return TrySocket(AF_INET6, SOCK_DGRAM);
    case 3:
      return TrySocket(AF_PACKET, SOCK_RAW);
    case 4:
      return TrySocket(AF_UNIX, SOCK_STREAM);
    case 5:
      return TryExec();
    case 6:
      return TryPtrace();
    case 7:
      return TryWrite();
    case 8:
      return Errno(kill(getppid(), 0) == 0);
    case 9:
      return TryMemory();
    case 11:
      return TryToken();
    default:
      return Errno(kill(getpid(), 0) == 0);
  }
}

}  // namespace

const char* diopiGetLastErrorString() {
  return last_error;
}

DIOPI_SPOILT_ADD {
  const int what = static_cast<int>(add.alpha);
  const int error = Try(what);
  if (error != 0) {
    std::snprintf(last_error, sizeof(last_error), "attempt %d: %s", what, std::strerror(error));
    return diopiErrorOccurred;
  }
  Add(add);
  return diopiSuccess;
}
