// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC'11): four random words from
// a counter and a key, each by itself. Shared by the CPU and the NVIDIA reference.
#ifndef BASELINES_OPS_RANDOM_PHILOX_H_
#define BASELINES_OPS_RANDOM_PHILOX_H_

#include <cstdint>

#include "baselines/ops/support/hd.h"

namespace diopi::ops {

struct Words4 {
  uint32_t word[4];
};

DIOPI_HD inline Words4 Philox(Words4 counter, uint64_t key) {
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint32_t(&c)[4] = counter.word;
    const uint64_t a = uint64_t{0xD2511F53} * c[0];
    const uint64_t b = uint64_t{0xCD9E8D57} * c[2];
    counter = {{static_cast<uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<uint32_t>(b),
                static_cast<uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<uint32_t>(a)}};
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return counter;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_RANDOM_PHILOX_H_
