// Runs functions in child processes of this one, several at a time: code that may crash, or that shares a
// library which does not run in threads.
#ifndef CASES_BASE_PROCESS_POOL_H_
#define CASES_BASE_PROCESS_POOL_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi {

// As many processes as this machine has processors that we may use, but no more than one for every
// `bytes_each` bytes of its memory, and at least one.
int ProcessesFor(size_t bytes_each);

// Not thread-safe. The process that forks must not hold locks in other threads that the functions need.
class ProcessPool {
 public:
  // Text or bytes.
  using Fields = std::vector<std::string>;
  // Runs in the child, which ends with it: what it changes in memory is lost, and its result is all that
  // comes back.
  using Work = std::function<absl::StatusOr<Fields>()>;
  // Runs in this process, with the result, or with an error that says how the child ended without one.
  using Done = std::function<absl::Status(absl::StatusOr<Fields> result)>;

  explicit ProcessPool(int limit) : limit_(limit) {}
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;
  // Kills what still runs.
  ~ProcessPool();

  // Starts `work` when fewer than `limit` children run, and waits for that. The error is that of a `done`
  // which was called meanwhile, of earlier work.
  absl::Status Run(const Work& work, Done done);
  // Waits until fewer than `limit` children run, so that Run forks at once. The error is that of a `done`.
  absl::Status WaitForRoom();
  // Waits for all children. The first error of a `done`; the others are called nevertheless.
  absl::Status Wait();

 private:
  struct Child {
    pid_t pid = -1;
    Descriptor result;
    std::string received;
    Done done;
  };
  // Waits until a child has ended, and calls its `done`.
  absl::Status WaitForOne();

  int limit_;
  std::vector<Child> children_;
};

}  // namespace diopi

#endif  // CASES_BASE_PROCESS_POOL_H_
