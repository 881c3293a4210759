#include "baselines/generate/shared_turns.h"

#include <sys/mman.h>

#include <cerrno>
#include <new>

namespace diopi::baselines {

absl::StatusOr<std::unique_ptr<SharedTurns>> SharedTurns::Create() {
  void* memory = mmap(nullptr, sizeof(State), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return absl::ErrnoToStatus(errno, "mmap");
  auto* state = new (memory) State;
  pthread_mutexattr_t shared;
  pthread_mutexattr_init(&shared);
  pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&state->mutex, &shared);
  pthread_mutexattr_destroy(&shared);
  return std::unique_ptr<SharedTurns>(new SharedTurns(state));
}

SharedTurns::~SharedTurns() {
  munmap(state_, sizeof(State));
}

SharedTurns::Turn::Turn(SharedTurns* turns) : mutex_(&turns->state_->mutex) {
  if (pthread_mutex_lock(mutex_) == EOWNERDEAD) pthread_mutex_consistent(mutex_);
}

}  // namespace diopi::baselines
