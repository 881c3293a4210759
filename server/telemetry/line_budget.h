// Limits the log lines of a kind that others can cause at will.
#ifndef SERVER_TELEMETRY_LINE_BUDGET_H_
#define SERVER_TELEMETRY_LINE_BUDGET_H_

#include <cstdint>
#include <mutex>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/time/time.h"

namespace diopi::server {

// `burst` lines at once, and one more for every `refill` that passes. Thread-safe.
class LineBudget {
 public:
  LineBudget(int burst, absl::Duration refill) : burst_(burst), refill_(refill), lines_(burst) {}

  // If a line may be written at `now`: how many were left out since the last one. Otherwise nullopt.
  std::optional<int64_t> Take(absl::Time now);

 private:
  const int burst_;
  const absl::Duration refill_;
  std::mutex mutex_;
  int lines_ ABSL_GUARDED_BY(mutex_);
  absl::Time refilled_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  int64_t left_out_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace diopi::server

#endif  // SERVER_TELEMETRY_LINE_BUDGET_H_
