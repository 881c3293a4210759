#include "baselines/ops/random/philox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Where the CUDA toolkit is found, its own implementation is at hand: as host functions.
#if defined(DIOPI_CURAND_PHILOX)
#include <vector_types.h>

#define QUALIFIERS static inline
#include <curand_philox4x32_x.h>
#endif

namespace diopi::ops {
namespace {

using ::testing::ElementsAre;

// The known answers for philox4x32 with 10 rounds that its authors publish (Random123, kat_vectors).
TEST(Philox, GivesTheAuthorsKnownAnswers) {
  EXPECT_THAT(Philox({{0, 0, 0, 0}}, 0).word, ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(Philox({{~0U, ~0U, ~0U, ~0U}}, ~uint64_t{0}).word,
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
  // Digits of pi.
  EXPECT_THAT(Philox({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0x299f31d0a4093822).word,
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

#if defined(DIOPI_CURAND_PHILOX)
TEST(Philox, IsCurands) {
  for (uint32_t i = 0; i < 1000; ++i) {
    const Words4 counter = {{i, ~i, i * 0x10001, i << 20}};
    const uint64_t key = i * uint64_t{0x9E3779B97F4A7C15};
    const uint4 theirs =
        curand_Philox4x32_10({counter.word[0], counter.word[1], counter.word[2], counter.word[3]},
                             {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)});
    EXPECT_THAT(Philox(counter, key).word, ElementsAre(theirs.x, theirs.y, theirs.z, theirs.w)) << i;
  }
}
#endif

}  // namespace
}  // namespace diopi::ops
