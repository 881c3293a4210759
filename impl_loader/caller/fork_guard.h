// Detects a library that forks inside a call: its copies of the worker must not touch our descriptors and
// memory, and the case that made them is reported.
#ifndef IMPL_LOADER_CALLER_FORK_GUARD_H_
#define IMPL_LOADER_CALLER_FORK_GUARD_H_

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <set>

#include "diopi/v1/finding.pb.h"

namespace diopi::loader {

// Processes that the library waits for, and programs that it starts, are its own business. A copy is a
// process that still runs this program after the call has returned, or that itself returns from the call.
class ForkGuard {
 public:
  // Orphans of the library become children of this process, so that none is overlooked.
  ForkGuard();
  ~ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  // Ends this process at once if it is a copy. Call it whenever the library returns.
  void EndIfCopy() const;

  // Copies that exist now are not reported: the library made them when it was loaded.
  void AcceptCopies();

  // What the library forked since the last call: COPY_RETURNED, COPY_RUNS or, nothing, CODE_UNSPECIFIED.
  // Costs one system call if there is no child, and otherwise waits a moment for children to end.
  v1::Finding::Code NewCopies();

 private:
  std::set<pid_t> RunningCopies() const;

  const pid_t process_;
  const pid_t listed_;  // this process's number in /proc, which may belong to another PID namespace
  std::atomic<uint32_t>* const returned_;  // copies that returned from a call; shared with them
  uint32_t returned_before_ = 0;
  std::set<pid_t> accepted_;
};

}  // namespace diopi::loader

#endif  // IMPL_LOADER_CALLER_FORK_GUARD_H_
