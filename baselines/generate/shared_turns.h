// What the processes that generate baselines side by side share: which operators have a process, and whose
// turn it is to compute a case that takes gigabytes.
#ifndef BASELINES_GENERATE_SHARED_TURNS_H_
#define BASELINES_GENERATE_SHARED_TURNS_H_

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"

namespace diopi::baselines {

// Lives in memory that a process shares with the children that it forks afterwards.
class SharedTurns {
 public:
  // ResourceExhausted when the memory cannot be had.
  static absl::StatusOr<std::unique_ptr<SharedTurns>> Create();
  SharedTurns(const SharedTurns&) = delete;
  SharedTurns& operator=(const SharedTurns&) = delete;
  ~SharedTurns();

  // How many operators, the first ones, have a process.
  std::atomic<size_t>* claimed() { return &state_->claimed; }

  // Waits for the turn, and has it until it is destroyed. The turn of a process that died is over.
  class Turn {
   public:
    explicit Turn(SharedTurns* turns);
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { pthread_mutex_unlock(mutex_); }

   private:
    pthread_mutex_t* const mutex_;
  };

 private:
  struct State {
    std::atomic<size_t> claimed = 0;
    pthread_mutex_t mutex = {};
  };
  explicit SharedTurns(State* state) : state_(state) {}

  State* const state_;
};

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_SHARED_TURNS_H_
