// The last moment at which a process that was asked to end is there.
#ifndef SERVER_PROGRAM_HARD_END_H_
#define SERVER_PROGRAM_HARD_END_H_

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"

namespace diopi::server {

// Ends the process with event=stopped_hard and exit status 4 unless it is destroyed within `limit`, in which
// the time for which the process was stopped does not count. Only for a server whose shutdown hangs: what it
// has acknowledged is in the database's log, as after a kill.
class HardEnd {
 public:
  explicit HardEnd(absl::Duration limit);
  HardEnd(const HardEnd&) = delete;
  HardEnd& operator=(const HardEnd&) = delete;
  ~HardEnd();

  // What the shutdown does from now on, for the log of a hard end.
  void Enter(const char* step) { step_ = step; }

 private:
  std::atomic<const char*> step_ = "";
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ended_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

}  // namespace diopi::server

#endif  // SERVER_PROGRAM_HARD_END_H_
