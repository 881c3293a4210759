// One random number for each sequence of a batch, from a generator of its own.
#ifndef BASELINES_OPS_SAMPLING_DRAWS_H_
#define BASELINES_OPS_SAMPLING_DRAWS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "baselines/ops/both.h"
#include "baselines/ops/random/philox.h"

namespace diopi::ops::both {

// Uniform in (0, 1], 53 bits of the generator's next Philox block. The generator moves past the block, as
// cuRAND's offsets count words: by 4.
inline double TakeDraw(diopiGeneratorHandle_t generator) {
  uint64_t seed = 0, offset = 0;
  diopiGeneratorGetSeedAndOffset(generator, &seed, &offset);
  const uint64_t block = offset / 4 + (offset % 4 != 0 ? 1 : 0);
  diopiGeneratorSetSeedAndOffset(generator, seed, 4 * (block + 1));
  const Words4 words =
      Philox({{static_cast<uint32_t>(block), static_cast<uint32_t>(block >> 32), 0, 0}}, seed);
  const uint64_t bits = static_cast<uint64_t>(words.word[0]) << 32 | words.word[1];
  return 1 - static_cast<double>(bits >> 11) * 0x1p-53;
}

// Where kernels can read them.
inline Scratch<double> TakeDraws(const Queue& queue, diopiGeneratorHandle_t* generators, int64_t count) {
  std::vector<double> draws;
  for (int64_t i = 0; i < count; ++i) draws.push_back(TakeDraw(generators[i]));
  const Scratch<double> on_device(queue, count);
#if defined(__CUDACC__) || defined(DIOPI_CUDA_EMULATED)
  queue.CopyToDevice(on_device.elements, draws.data(), count * static_cast<int64_t>(sizeof(double)));
#else
  *on_device.elements = std::move(draws);
#endif
  return on_device;
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_SAMPLING_DRAWS_H_
