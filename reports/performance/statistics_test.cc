#include "reports/performance/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cases/base/split_mix.h"

namespace diopi::reports {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(RankTest, ExactTables) {
  // By counting the orders: C(6, 3) = 20, C(10, 5) = 252.
  EXPECT_DOUBLE_EQ(RankTest({1, 2, 3}, {4, 5, 6}), 1.0 / 20);
  EXPECT_DOUBLE_EQ(RankTest({1, 2, 4}, {3, 5, 6}), 2.0 / 20);
  EXPECT_DOUBLE_EQ(RankTest({4, 5, 6}, {1, 2, 3}), 1.0);
  EXPECT_DOUBLE_EQ(RankTest({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}), 1.0 / 252);
  EXPECT_DOUBLE_EQ(RankTest({}, {1}), 1);
}

TEST(RankTest, TheApproximationAgreesWithTheExactTest) {
  std::vector<double> before, after;
  for (int i = 0; i < 20; ++i) {
    before.push_back(i * 1.01);
    after.push_back(i * 1.03 + 3);
  }
  const double exact = RankTest(before, after);
  after.push_back(11.123);  // more pairs than are counted exactly
  EXPECT_NEAR(RankTest(before, after), exact, 0.03);
  EXPECT_LT(exact, 0.2);
}

TEST(RankTest, TiesAreNoEvidence) {
  EXPECT_DOUBLE_EQ(RankTest({5, 5, 5}, {5, 5, 5}), 1);
  EXPECT_GT(RankTest({1, 2, 2, 2}, {2, 2, 2, 3}), 0.05);
}

TEST(RankTest, UnderTheHypothesisPIsUniform) {
  uint64_t state = 11;
  int below = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> before, after;
    for (int i = 0; i < 25; ++i) {
      before.push_back(static_cast<double>(SplitMix64(state++) >> 11));
      after.push_back(static_cast<double>(SplitMix64(state++) >> 11));
    }
    below += RankTest(before, after) <= 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(below, kTrials * 0.05, 4 * 14);  // four standard deviations
}

TEST(HolmTest, StepsDown) {
  EXPECT_THAT(HolmAdjusted({0.01, 0.04, 0.03, 0.005}),
              ElementsAre(DoubleNear(0.03, 1e-12), DoubleNear(0.06, 1e-12), DoubleNear(0.06, 1e-12),
                          DoubleNear(0.02, 1e-12)));
  EXPECT_THAT(HolmAdjusted({0.9, 0.8}), ElementsAre(1, 1));
  EXPECT_TRUE(HolmAdjusted({}).empty());
}

}  // namespace
}  // namespace diopi::reports
