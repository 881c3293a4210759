// Waiting for a condition, for programs that must start on systems whose libstdc++ is older than ours:
// std::condition_variable::wait needs GLIBCXX_3.4.30, wait_for is made of functions that all have.
#ifndef CASES_BASE_WAIT_H_
#define CASES_BASE_WAIT_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace diopi {

// Like changed->wait(*lock, ready).
template <typename Ready>
void WaitUntil(std::condition_variable* changed, std::unique_lock<std::mutex>* lock, Ready ready) {
  while (!changed->wait_for(*lock, std::chrono::hours(1), ready)) {
  }
}

}  // namespace diopi

#endif  // CASES_BASE_WAIT_H_
