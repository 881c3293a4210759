// A child process of ours (never a vendor's code: that is impl_loader/worker's).
#ifndef CASES_BASE_PROCESS_H_
#define CASES_BASE_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi {

// Both ends close on exec.
struct Pipe {
  Descriptor read;
  Descriptor write;
};
absl::StatusOr<Pipe> MakePipe();

struct ProcessOptions {
  std::vector<std::string> command;              // program and arguments; the program is a path
  std::vector<std::pair<int, int>> descriptors;  // ours -> the child's; everything else but 0, 1, 2 is closed
  std::vector<std::string> environment;          // extra NAME=VALUE
  // Ctrl-C on the terminal does not reach it.
  bool own_group = false;
};

struct ExitStatus {
  int code = 0;    // when it exited
  int signal = 0;  // when a signal ended it
  // "exit status 2", "signal 9"
  std::string Text() const;
};

// Move-only. The destructor kills (SIGKILL) and reaps a process that still runs. Not thread-safe.
class Process {
 public:
  static absl::StatusOr<Process> Start(const ProcessOptions& options);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  pid_t pid() const { return pid_; }
  // Readable when it has ended.
  int descriptor() const { return pidfd_.get(); }
  void Signal(int signal) const;
  // Waits for its end.
  ExitStatus Wait();
  // Waits for at most `limit`; nothing when it still runs.
  std::optional<ExitStatus> WaitFor(std::chrono::milliseconds limit);

 private:
  Process(pid_t pid, Descriptor pidfd) : pid_(pid), pidfd_(std::move(pidfd)) {}
  void Reap();

  pid_t pid_ = -1;
  Descriptor pidfd_;
  std::optional<ExitStatus> ended_;
};

}  // namespace diopi

#endif  // CASES_BASE_PROCESS_H_
