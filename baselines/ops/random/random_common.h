// Random numbers of the CPU reference: Philox4x32-10 over (seed, offset, counter). The stream is ours; cases
// judge random functions by their distribution.
#ifndef BASELINES_OPS_RANDOM_RANDOM_COMMON_H_
#define BASELINES_OPS_RANDOM_RANDOM_COMMON_H_

#include <cmath>
#include <cstdint>
#include <numbers>

#include "baselines/ops/random/philox.h"
#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// Draws in order; a copy draws the same numbers.
class Random {
 public:
  explicit Random(diopiGeneratorHandle_t generator) {
    uint64_t offset = 0;
    diopiGeneratorGetSeedAndOffset(generator, &seed_, &offset);
    counter_ = {{0, 0, static_cast<uint32_t>(offset), static_cast<uint32_t>(offset >> 32)}};
  }

  // Advances the generator to where the next call must continue.
  void Advance(diopiGeneratorHandle_t generator) const {
    const uint64_t offset = counter_.word[2] | static_cast<uint64_t>(counter_.word[3]) << 32;
    diopiGeneratorSetSeedAndOffset(generator, seed_, offset + 1);
  }

  // Uniform in [0, 1), all 53 bits.
  double Uniform() {
    const uint64_t high = Next();
    const uint64_t low = Next();
    return static_cast<double>((high << 32 | low) >> 11) * 0x1p-53;
  }

  // Standard normal, by Box and Muller's transform.
  double Normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * Uniform());
  }

 private:
  uint32_t Next() {
    if (used_ == 4) {
      block_ = Philox(counter_, seed_);
      if (++counter_.word[0] == 0) ++counter_.word[1];
      used_ = 0;
    }
    return block_.word[used_++];
  }

  uint64_t seed_ = 0;
  Words4 counter_{};
  Words4 block_{};
  size_t used_ = 4;
};

// Fills a tensor with draw(random, i), rounded to its dtype.
template <typename F>
void FillRandom(const Tensor& out, diopiGeneratorHandle_t generator, F&& draw) {
  Random random(generator);
  std::vector<double> values(static_cast<size_t>(out.numel()));
  for (size_t i = 0; i < values.size(); ++i) values[i] = draw(random, i);
  Store(out, values);
  random.Advance(generator);
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_RANDOM_RANDOM_COMMON_H_
