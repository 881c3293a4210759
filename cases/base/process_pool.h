// Child processes of this one that answer requests: code that may crash, or that shares a library which does
// not run in threads.
#ifndef CASES_BASE_PROCESS_POOL_H_
#define CASES_BASE_PROCESS_POOL_H_

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cases/base/descriptor.h"

namespace diopi {

// As many processes as this machine has processors that we may use, but no more than one for every
// `bytes_each` bytes of its memory, and at least one.
int ProcessesFor(size_t bytes_each);

// Not thread-safe.
class ProcessPool {
 public:
  // Text or bytes.
  using Fields = std::vector<std::string>;
  // Tells this process how far a request is.
  using Note = std::function<void(const std::string& text)>;
  // Answers one request in a child. A child answers one after the other, and keeps what it changes in memory.
  using Work = std::function<absl::StatusOr<Fields>(const Fields& request, const Note& note)>;
  // Runs in this process, with the answer, or with an error that says how the child ended without one.
  using Done = std::function<absl::Status(absl::StatusOr<Fields> answer)>;

  // Forks all children now: after a fork, every page that the parent writes to is copied first, which can
  // take longer than the work, so it should happen once, while this process is small. A child that dies is
  // replaced. No other thread may hold locks that `work` needs.
  static absl::StatusOr<std::unique_ptr<ProcessPool>> Start(int children, const Work& work);
  ProcessPool(const ProcessPool&) = delete;
  ProcessPool& operator=(const ProcessPool&) = delete;
  // Kills the children that still work.
  ~ProcessPool();

  // Hands the request to a child that is free, and waits for one. The error is that of a `done` which was
  // called meanwhile, of an earlier request.
  absl::Status Run(const Fields& request, Done done, Note on_note = nullptr);
  // Waits until a child is free. The error is that of a `done`.
  absl::Status WaitForRoom();
  // Waits for all answers. The first error of a `done`; the others are called nevertheless.
  absl::Status Wait();

 private:
  struct Child {
    pid_t pid = -1;
    Descriptor channel;
    std::string received;  // parts of an answer
    bool taken = false;    // it has the request
    Done done;             // null: it is free
    Note on_note;
  };

  ProcessPool() = default;
  Child* Free();
  // Waits until an answer has come, and calls its `done`.
  absl::Status WaitForOne();
  // Takes one message; whether it completed an answer, with the status of `done`.
  bool Take(Child* child, absl::Status* status);

  std::vector<Child> children_;
};

}  // namespace diopi

#endif  // CASES_BASE_PROCESS_POOL_H_
