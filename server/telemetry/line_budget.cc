#include "server/telemetry/line_budget.h"

#include <algorithm>
#include <utility>

namespace diopi::server {

std::optional<int64_t> LineBudget::Take(absl::Time now) {
  const std::lock_guard lock(mutex_);
  if (refilled_ == absl::InfinitePast()) refilled_ = now;
  const int64_t more = std::max<int64_t>((now - refilled_) / refill_, 0);
  refilled_ += more * refill_;
  lines_ = static_cast<int>(std::min<int64_t>(lines_ + more, burst_));
  if (lines_ == 0) {
    ++left_out_;
    return std::nullopt;
  }
  --lines_;
  return std::exchange(left_out_, 0);
}

}  // namespace diopi::server
