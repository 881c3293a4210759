// The timeout of poll() for a deadline.
#ifndef CASES_BASE_POLL_TIMEOUT_H_
#define CASES_BASE_POLL_TIMEOUT_H_

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace diopi {

// Rounded up, so that poll() does not return before the deadline; 0 after it, and at most 12 days.
inline int MillisecondsUntil(std::chrono::steady_clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
}

}  // namespace diopi

#endif  // CASES_BASE_POLL_TIMEOUT_H_
