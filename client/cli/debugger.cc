#include "client/cli/debugger.h"

#include <unistd.h>

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

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

}  // namespace diopi::cli
