// A child process that leads a process group of its own and, unless it takes a terminal, a session without a
// terminal.
#ifndef IMPL_LOADER_WORKER_CHILD_PROCESS_H_
#define IMPL_LOADER_WORKER_CHILD_PROCESS_H_

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi::loader {

struct ChildOptions {
  std::string program;
  std::vector<std::string> args;         // without the program's name
  std::vector<std::string> environment;  // NAME=VALUE, replacing or added to this process's own
  // The child gets files[i] as descriptor i; -1: /dev/null. It gets no others.
  std::vector<int> files;
  // The signal that makes a keeper end its processes, sent before SIGKILL; 0: none.
  int keepers_signal = 0;
  int terminal = -1;  // descriptor in `files` of a terminal whose foreground the child takes; -1: none
};

struct ChildExit {
  bool known = false;  // false: somebody else has reaped it
  int signal = 0;      // 0: it exited
  int status = 0;
};

// Not thread-safe. Destruction kills the group at once.
class ChildProcess {
 public:
  // Internal, with the path, when the program cannot be started.
  static absl::StatusOr<std::unique_ptr<ChildProcess>> Spawn(const ChildOptions& options);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  // Readable once the process has ended.
  int descriptor() const { return pidfd_.get(); }

  // False: the process still runs at the deadline.
  bool WaitUntil(std::chrono::steady_clock::time_point deadline) const;
  // Ends the whole group: SIGTERM, after `grace` the keeper's signal, if it has one, and SIGKILL. True when
  // SIGTERM was enough.
  bool Terminate(std::chrono::milliseconds grace) const;
  // Ends the rest of the group and reaps. Waits for the process if it still runs.
  ChildExit Reap();

 private:
  ChildProcess(pid_t pid, Descriptor pidfd, int keepers_signal)
      : pid_(pid), keepers_signal_(keepers_signal), pidfd_(std::move(pidfd)) {}
  void KillGroup() const;

  pid_t pid_;
  int keepers_signal_;
  Descriptor pidfd_;
  bool reaped_ = false;
  ChildExit exit_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_WORKER_CHILD_PROCESS_H_
