// Random numbers of the NVIDIA reference, laid out as cuRAND does it: thread i draws from
// curand_init(seed, i, offset), that is, blocks of Philox4x32-10 with key `seed` and counter (offset / 4, i).
// Here a thread draws one block and makes kLanes elements of it.
#ifndef BASELINES_OPS_RANDOM_RANDOM_CUDA_H_
#define BASELINES_OPS_RANDOM_RANDOM_CUDA_H_

#include <cmath>
#include <cstdint>

#include "baselines/ops/random/philox.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"

namespace diopi::ops::cuda {

// What a kernel needs from a generator.
struct Stream {
  uint64_t seed = 0;
  uint64_t block = 0;
  DIOPI_HD Words4 Draw(int64_t thread) const {
    const auto subsequence = static_cast<uint64_t>(thread);
    return Philox({{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32),
                    static_cast<uint32_t>(subsequence), static_cast<uint32_t>(subsequence >> 32)}},
                  seed);
  }
};

// The generator's next block in every subsequence; the generator advances past it. Offsets count words, as in
// cuRAND: an offset within a block starts at the next block.
inline Stream TakeBlock(diopiGeneratorHandle_t generator) {
  uint64_t seed = 0, offset = 0;
  diopiGeneratorGetSeedAndOffset(generator, &seed, &offset);
  const uint64_t block = offset / 4 + (offset % 4 != 0 ? 1 : 0);
  diopiGeneratorSetSeedAndOffset(generator, seed, 4 * (block + 1));
  return {seed, block};
}

// Elements per block: each takes one word for float, two for double.
template <typename C>
inline constexpr int kLanes = std::is_same_v<C, double> ? 2 : 4;

inline int64_t Threads(int64_t n, int lanes) {
  return (n + lanes - 1) / lanes;
}

// Uniform in [0, 1): the first `bits` bits of a number's words. At most 24 for float, 53 for double.
template <typename C>
DIOPI_HD C UniformOf(const Words4& words, int64_t lane, int bits) {
  if constexpr (std::is_same_v<C, double>) {
    const uint64_t all = static_cast<uint64_t>(words.word[2 * lane]) << 32 | words.word[2 * lane + 1];
    return static_cast<double>(all >> (64 - bits)) / static_cast<double>(uint64_t{1} << bits);
  } else {
    return static_cast<float>(words.word[lane] >> (32 - bits)) / static_cast<float>(1 << bits);
  }
}

// Standard normal, kLanes at once, by Box and Muller's transform. Its logarithm takes a number in (0, 1] with
// all of the words' bits, which reaches 6.7 deviations in float and 8.6 in double.
template <typename C>
DIOPI_HD void NormalsOf(const Words4& words, C* normals) {
  using std::cos;
  using std::log;
  using std::sin;
  using std::sqrt;
  constexpr double kTwoPi = 6.283185307179586;
  for (int64_t pair = 0; pair < kLanes<C> / 2; ++pair) {
    C open, angle;
    if constexpr (std::is_same_v<C, double>) {
      open = UniformOf<C>(words, 0, 53) + 0x1p-54;
      angle = UniformOf<C>(words, 1, 53);
    } else {
      open = static_cast<float>(words.word[2 * pair]) * 0x1p-32F + 0x1p-33F;
      angle = static_cast<float>(words.word[2 * pair + 1]) * 0x1p-32F;
    }
    const C radius = sqrt(C(-2) * log(open));
    normals[2 * pair] = radius * cos(C(kTwoPi) * angle);
    normals[2 * pair + 1] = radius * sin(C(kTwoPi) * angle);
  }
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_RANDOM_RANDOM_CUDA_H_
