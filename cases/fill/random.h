// Counter-based random bits and the few functions that turn them into numbers, from IEEE operations only.
#ifndef CASES_FILL_RANDOM_H_
#define CASES_FILL_RANDOM_H_

#include <array>
#include <cstddef>
#include <cstdint>

namespace diopi {

// Philox4x32-10 (Salmon et al., 2011).
std::array<uint32_t, 4> Philox(const std::array<uint32_t, 4>& counter, uint64_t key);

// 64 bits for element `index` of the stream `key`; `draw` gives further independent ones.
uint64_t RandomBits(uint64_t key, uint64_t index, uint32_t draw);
// Those of `count` elements from `first` on, in half the time.
void RandomBits(uint64_t key, uint64_t first, uint32_t draw, size_t count, uint64_t* bits);

// The top 53 bits as a number in [0, 1), and shifted by half a step into (0, 1).
double UnitInterval(uint64_t bits);
double OpenUnitInterval(uint64_t bits);

// The high half of the 128-bit product: an integer below `range`, its bias at most range / 2^64.
uint64_t Below(uint64_t bits, uint64_t range);

// Random numbers of one case, in an order that never changes.
class Draws {
 public:
  explicit Draws(uint64_t key) : key_(key) {}
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(diopi::Below(RandomBits(key_, next_++, 0), static_cast<uint64_t>(n)));
  }

 private:
  uint64_t key_;
  uint64_t next_ = 0;
};

// Natural logarithm of a positive normal number; within 2 ulps.
double Log(double x);

// 2^x; 0 from 2^-1021 downwards, infinity above the largest number.
double Exp2(double x);

// The inverse of the standard normal distribution function (Wichura's algorithm AS241, PPND16).
double NormalQuantile(double p);
// That of several numbers, in less time.
void NormalQuantiles(const double* p, size_t count, double* quantiles);

// A keyed permutation of 0..size-1 (a Feistel network with cycle walking).
uint64_t Permute(uint64_t index, uint64_t size, uint64_t key);

}  // namespace diopi

#endif  // CASES_FILL_RANDOM_H_
