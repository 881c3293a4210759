// A bounded queue in front of work that takes seconds of CPU.
#ifndef SERVER_RUNS_ADMISSION_H_
#define SERVER_RUNS_ADMISSION_H_

#include <condition_variable>
#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/runs/suite_cache.h"

namespace diopi::server {

// Thread-safe. Must outlive its passes.
class Admission {
 public:
  // `at_once` calls work while at most `waiting` others wait for them.
  Admission(int at_once, int waiting) : at_once_(at_once), most_waiting_(waiting) {}

  // Move-only; lets the next call in when it ends.
  class Pass {
   public:
    explicit Pass(Admission* from) : from_(from) {}
    Pass(Pass&& other) noexcept : from_(std::exchange(other.from_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass();

   private:
    Admission* from_;
  };

  // Waits for its turn. ResourceExhausted, "busy: ...", at once if too many wait already: clients try again.
  // The status of `wanted` if it fails meanwhile.
  absl::StatusOr<Pass> Enter(const StillWanted& wanted);

 private:
  const int at_once_;
  const int most_waiting_;
  std::mutex mutex_;
  std::condition_variable left_;
  int working_ ABSL_GUARDED_BY(mutex_) = 0;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace diopi::server

#endif  // SERVER_RUNS_ADMISSION_H_
