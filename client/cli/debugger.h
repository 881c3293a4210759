// The tools under which `repro` starts a case's worker.
#ifndef CLIENT_CLI_DEBUGGER_H_
#define CLIENT_CLI_DEBUGGER_H_

#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"
#include "cases/base/text.h"

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

// While it lives, what this process and those that it starts write to a descriptor is made printable
// (cases/base/text.h): a debugger shows a library's names and prints as they are.
class PrintableDescriptor {
 public:
  // Leaves the descriptor alone when there is no pipe or thread for it.
  explicit PrintableDescriptor(int fd);
  ~PrintableDescriptor();
  PrintableDescriptor(const PrintableDescriptor&) = delete;
  PrintableDescriptor& operator=(const PrintableDescriptor&) = delete;

 private:
  void Pass();
  bool ReadOnce();

  const int fd_;
  Descriptor real_;
  Descriptor pipe_;
  Descriptor end_;  // an eventfd
  PrintablePieces pieces_;
  std::thread thread_;
};

}  // namespace diopi::cli

#endif  // CLIENT_CLI_DEBUGGER_H_
