// The tools under which `repro` starts a case's worker.
#ifndef CLIENT_CLI_DEBUGGER_H_
#define CLIENT_CLI_DEBUGGER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace diopi::cli {

enum class Debugger { kNone, kGdb, kValgrind, kComputeSanitizer };

// The program's path and the arguments that precede the worker's own command. `function`: the C symbol at
// which gdb stops first. `interactive`: a person is at the terminal; otherwise gdb runs the program to its
// end, prints a backtrace where the program was stopped, and exits. compute-sanitizer is also searched in
// /usr/local/cuda/bin, where CUDA installs it. NotFound, naming the Debian package to install, when the
// program is not on PATH.
absl::StatusOr<std::vector<std::string>> DebuggerCommand(Debugger debugger, const std::string& function,
                                                         bool interactive);

// "gdb"; empty for none.
std::string DebuggerName(Debugger debugger);

}  // namespace diopi::cli

#endif  // CLIENT_CLI_DEBUGGER_H_
