#include "cases/fill/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace diopi {
namespace {

// The test vectors that Random123 publishes for philox4x32-10.
TEST(RandomTest, PhiloxGivesThePublishedVectors) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, 0),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, ~uint64_t{0}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822ULL),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomTest, BitsOfNeighboursAreThoseOfEach) {
  constexpr uint64_t kKey = 0x299f31d0a4093822ULL;
  constexpr uint64_t kFirst = 0xfffffffdU;  // the index's upper half changes on the way
  for (const size_t count : {0, 1, 2, 7}) {
    std::vector<uint64_t> bits(count + 1, 17);
    RandomBits(kKey, kFirst, 3, count, bits.data());
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(bits[i], RandomBits(kKey, kFirst + i, 3)) << i;
    EXPECT_EQ(bits[count], 17U);
  }
}

TEST(RandomTest, QuantileInvertsTheNormalDistribution) {
  for (double p : {1e-300, 1e-30, 1e-15, 1e-9, 1e-6, 1e-3, 0.02, 0.07, 0.0751, 0.2, 0.4, 0.5, 0.6, 0.9, 0.93,
                   0.999, 1 - 1e-9}) {
    const double x = NormalQuantile(p);
    const double back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    EXPECT_NEAR(back / p, 1, 1e-6) << p;
    if (p > 1e-9 && p < 0.5) {
      EXPECT_NEAR(NormalQuantile(1 - p), -x, 1e-6 * std::fabs(x)) << p;
    }
  }
  for (int i = 1; i < 20000; ++i) {
    const double p = i / 20000.0;
    ASSERT_NEAR(0.5 * std::erfc(-NormalQuantile(p) / std::sqrt(2.0)), p, 1e-13) << p;
  }
}

TEST(RandomTest, QuantilesAreThoseOfEach) {
  std::vector<double> p;
  p.reserve(1006);
  for (uint64_t i = 0; i < 1001; ++i) p.push_back(OpenUnitInterval(RandomBits(7, i, 0)));
  for (const double edge : {0.075, 0.925, 1e-300, 1 - 1e-16, 0.5}) p.push_back(edge);
  std::vector<double> quantiles(p.size());
  NormalQuantiles(p.data(), p.size(), quantiles.data());
  for (size_t i = 0; i < p.size(); ++i) EXPECT_EQ(quantiles[i], NormalQuantile(p[i])) << p[i];
}

TEST(RandomTest, LogAndExp2AgreeWithTheLibrary) {
  for (int i = -1000; i <= 1000; ++i) {
    const double x = std::exp2(i) * (1 + (i + 1000) / 2001.0);
    EXPECT_NEAR(Log(x), std::log(x), 3e-16 * (1 + std::fabs(std::log(x)))) << x;
    const double e = i * 1.0217;
    if (e > -1021 && e < 1023) {
      EXPECT_NEAR(Exp2(e) / std::exp2(e), 1, 5e-13) << e;
    }
  }
  EXPECT_EQ(Exp2(3), 8);
  EXPECT_EQ(Exp2(-5000), 0);
  EXPECT_TRUE(std::isinf(Exp2(5000)));
}

TEST(RandomTest, BelowIsTheHighProduct) {
  EXPECT_EQ(Below(0, 10), 0U);
  EXPECT_EQ(Below(~uint64_t{0}, 10), 9U);
  EXPECT_EQ(Below(uint64_t{1} << 63, 10), 5U);
  EXPECT_EQ(Below(~uint64_t{0}, ~uint64_t{0}), ~uint64_t{0} - 1);
}

TEST(RandomTest, PermuteIsAPermutation) {
  for (uint64_t size : {1, 2, 3, 7, 64, 1000}) {
    std::set<uint64_t> seen;
    int fixed = 0;
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t image = Permute(i, size, 12345);
      EXPECT_LT(image, size);
      seen.insert(image);
      fixed += image == i ? 1 : 0;
    }
    EXPECT_EQ(seen.size(), size);
    EXPECT_LE(fixed, 10) << size;
  }
}

}  // namespace
}  // namespace diopi
