// The SplitMix64 function (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014):
// the same on every machine and with every standard library. Not for secrets.
#ifndef CASES_BASE_SPLIT_MIX_H_
#define CASES_BASE_SPLIT_MIX_H_

#include <cstdint>

namespace diopi {

// The first number of the generator with state x; the n-th is SplitMix64(x + (n - 1) * kSplitMixStep).
inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;
constexpr uint64_t SplitMix64(uint64_t x) {
  x += kSplitMixStep;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The seed of generator i of an array. Seeds that follow each other would give similar first numbers in
// generators that are not made for them.
constexpr uint64_t SeedOfGenerator(uint64_t seed, uint64_t i) {
  return SplitMix64(seed + i * kSplitMixStep);
}

}  // namespace diopi

#endif  // CASES_BASE_SPLIT_MIX_H_
