#include "client/cli/debugger.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/process.h"

namespace diopi::cli {
namespace {

const char* PackageOf(Debugger debugger) {
  switch (debugger) {
    case Debugger::kGdb:
      return "gdb";
    case Debugger::kValgrind:
      return "valgrind";
    default:
      return "nvidia-cuda-toolkit";
  }
}

// Empty when no folder of PATH (and of `more`) has it.
std::string FindProgram(const std::string& name, const std::string& more) {
  const char* path = std::getenv("PATH");
  const std::string folders = absl::StrCat(path == nullptr ? "/usr/bin:/bin" : path, ":", more);
  for (const std::string& folder :
       std::vector<std::string>(absl::StrSplit(folders, ':', absl::SkipEmpty()))) {
    std::string program = absl::StrCat(folder, "/", name);
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

}  // namespace

std::string DebuggerName(Debugger debugger) {
  switch (debugger) {
    case Debugger::kGdb:
      return "gdb";
    case Debugger::kValgrind:
      return "valgrind";
    case Debugger::kComputeSanitizer:
      return "compute-sanitizer";
    case Debugger::kNone:
      break;
  }
  return "";
}

absl::StatusOr<std::vector<std::string>> DebuggerCommand(Debugger debugger, const std::string& function,
                                                         bool interactive) {
  const bool cuda = debugger == Debugger::kComputeSanitizer;
  const std::string name = DebuggerName(debugger);
  const std::string program = FindProgram(name, cuda ? "/usr/local/cuda/bin" : "");
  if (program.empty()) {
    return absl::NotFoundError(absl::StrCat("no ", name, " on PATH; install the Debian package ",
                                            PackageOf(debugger), cuda ? ", or NVIDIA's CUDA toolkit" : ""));
  }
  if (cuda) return std::vector<std::string>{program, "--tool", "memcheck"};
  // Traces uninitialised values back to their allocation.
  if (debugger == Debugger::kValgrind) return std::vector<std::string>{program, "--track-origins=yes"};
  if (interactive) {
    return std::vector<std::string>{
        program, "-q",  "-ex",   "set breakpoint pending on", "-ex", absl::StrCat("break ", function),
        "-ex",   "run", "--args"};
  }
  return std::vector<std::string>{program, "-q", "--batch", "-ex", "run", "-ex", "backtrace", "--args"};
}

PrintableDescriptor::PrintableDescriptor(int fd) : fd_(fd) {
  absl::StatusOr<Pipe> pipe = MakePipe();
  if (!pipe.ok()) return;
  real_ = Descriptor(fcntl(fd_, F_DUPFD_CLOEXEC, 0));
  end_ = Descriptor(eventfd(0, EFD_CLOEXEC));
  if (!real_.valid() || !end_.valid() || dup2(pipe->write.get(), fd_) < 0) return;
  pipe_ = std::move(pipe->read);
  thread_ = std::thread([this] { Pass(); });
}

// What was started may have left processes that keep the pipe open, so its end is not waited for.
PrintableDescriptor::~PrintableDescriptor() {
  if (!thread_.joinable()) return;
  dup2(real_.get(), fd_);
  eventfd_write(end_.get(), 1);
  thread_.join();
}

void PrintableDescriptor::Pass() {
  for (bool ending = false; !ending;) {
    pollfd files[] = {{pipe_.get(), POLLIN, 0}, {end_.get(), POLLIN, 0}};
    if (poll(files, 2, -1) < 0) continue;
    ending = files[1].revents != 0;
    if (files[0].revents != 0 && !ReadOnce()) break;
  }
  for (pollfd file{pipe_.get(), POLLIN, 0}; poll(&file, 1, 0) > 0 && ReadOnce();) continue;
  WriteAll(real_.get(), pieces_.Finish());
}

bool PrintableDescriptor::ReadOnce() {
  std::array<char, 4096> buffer{};
  const ssize_t bytes = read(pipe_.get(), buffer.data(), buffer.size());
  if (bytes <= 0) return bytes < 0 && errno == EINTR;
  // When nobody reads any more, the debugger goes on all the same.
  WriteAll(real_.get(), pieces_.Add({buffer.data(), static_cast<size_t>(bytes)}));
  return true;
}

}  // namespace diopi::cli
