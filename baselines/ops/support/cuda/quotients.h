// Division by a number that stays the same for a whole kernel, as a multiplication: a GPU divides 64-bit
// integers by dozens of instructions.
#ifndef BASELINES_OPS_SUPPORT_CUDA_QUOTIENTS_H_
#define BASELINES_OPS_SUPPORT_CUDA_QUOTIENTS_H_

#include <cstdint>

#include "baselines/ops/support/hd.h"

namespace diopi::ops::cuda {

// Quotients and remainders of numbers of at least 0 by `divisor`. Those below 2^31 are not divided: with
// 2^(shift - 1) < d <= 2^shift and m = 2^32 (2^shift - d) / d + 1, rounded down, n / d is (n m / 2^32 + n) /
// 2^shift (Granlund and Montgomery, "Division by Invariant Integers using Multiplication", 1994).
class Quotients {
 public:
  // A size of 0 has nothing to divide, and counts as 1.
  explicit Quotients(int64_t divisor) : divisor_(divisor > 0 ? divisor : 1), fast_(divisor < kFast) {
    if (!fast_) return;
    while ((int64_t{1} << shift_) < divisor_) ++shift_;
    const uint64_t rest = (uint64_t{1} << shift_) - static_cast<uint64_t>(divisor_);
    factor_ = static_cast<uint32_t>((rest << 32) / static_cast<uint64_t>(divisor_) + 1);
  }

  DIOPI_HD int64_t Of(int64_t n) const {
    if (!fast_ || n >= kFast) return n / divisor_;
    const auto narrow = static_cast<uint32_t>(n);
    const auto high = static_cast<uint32_t>((static_cast<uint64_t>(narrow) * factor_) >> 32);
    return static_cast<int64_t>((high + narrow) >> shift_);
  }
  DIOPI_HD int64_t Rest(int64_t n) const { return n - Of(n) * divisor_; }

 private:
  static constexpr int64_t kFast = int64_t{1} << 31;

  int64_t divisor_;
  uint32_t factor_ = 1;
  int shift_ = 0;
  bool fast_;
};

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_QUOTIENTS_H_
