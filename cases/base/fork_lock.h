// Lets this process fork while other threads work: no thread may be inside code whose locks the child needs.
#ifndef CASES_BASE_FORK_LOCK_H_
#define CASES_BASE_FORK_LOCK_H_

#include <mutex>
#include <shared_mutex>

namespace diopi {

// Thread-safe. Threads that compute hold Working(), the one that forks holds Forking(), which comes first.
class ForkLock {
 public:
  std::shared_lock<std::shared_mutex> Working() {
    const std::lock_guard turn(turn_);
    return std::shared_lock(mutex_);
  }
  std::unique_lock<std::shared_mutex> Forking() {
    const std::lock_guard turn(turn_);
    return std::unique_lock(mutex_);
  }

 private:
  std::mutex turn_;  // held by the thread that waits to fork, so that no further one begins to work
  std::shared_mutex mutex_;
};

}  // namespace diopi

#endif  // CASES_BASE_FORK_LOCK_H_
