// A clock that a test moves.
#ifndef SERVER_SCHEDULER_FAKE_CLOCK_H_
#define SERVER_SCHEDULER_FAKE_CLOCK_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "server/scheduler/scheduler.h"

namespace diopi::server {

class FakeClock final : public Clock {
 public:
  absl::Duration Now() const override { return absl::Milliseconds(now_ms_.load()); }
  void Advance(absl::Duration by) { now_ms_ += absl::ToInt64Milliseconds(by); }

 private:
  std::atomic<int64_t> now_ms_ = 0;
};

}  // namespace diopi::server

#endif  // SERVER_SCHEDULER_FAKE_CLOCK_H_
