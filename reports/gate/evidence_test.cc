#include "reports/gate/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "absl/strings/str_cat.h"

namespace diopi::reports {
namespace {

TEST(SignTest, ExactProbabilities) {
  struct Row {
    int n, k;
    double p;
  };
  const Row rows[] = {{1, 1, 0.5},           {2, 2, 0.25}, {5, 4, 6.0 / 32}, {10, 10, 1.0 / 1024},
                      {10, 5, 638.0 / 1024}, {0, 0, 1},    {3, 0, 1},        {3, 4, 0}};
  for (const Row& row : rows) EXPECT_NEAR(SignTest(row.n, row.k), row.p, 1e-12) << row.n << " " << row.k;
  EXPECT_NEAR(SignTest(10'000, 5'000), 0.5, 0.01);  // the terms alone underflow
}

TEST(MedianRatio, OddEvenAndNone) {
  EXPECT_EQ(MedianRatio({}), 1);
  EXPECT_EQ(MedianRatio({{1, 3}, {1, 2}, {1, 100}}), 3);
  EXPECT_EQ(MedianRatio({{1, 3}, {2, 2}, {1, 100}, {1, 5}}), 4);
}

std::vector<Pair> Repeated(int count, double ratio) {
  return std::vector<Pair>(static_cast<size_t>(count), Pair{1, ratio});
}

TEST(JudgeGrowth, OneNoisyTimingIsNoEvidence) {
  std::vector<Pair> pairs = Repeated(20, 1);
  pairs[3].after = 1e6;
  EXPECT_FALSE(JudgeGrowth({{"f", pairs}}, 1.5)[0].grew);
  EXPECT_FALSE(JudgeGrowth({{"f", {{1, 1e6}}}}, 1.5)[0].grew);
}

TEST(JudgeGrowth, MostPairsBeyondTheFactorAre) {
  const auto growth = JudgeGrowth({{"f", Repeated(20, 2)}, {"g", Repeated(20, 1.4)}}, 1.5);
  ASSERT_EQ(growth.size(), 2u);
  EXPECT_TRUE(growth[0].grew);
  EXPECT_EQ(growth[0].above, 20);
  EXPECT_EQ(growth[0].median_ratio, 2);
  EXPECT_FALSE(growth[1].grew);
}

// 8 of 8 are evidence in a single test (p = 1/256), but not among fifty simultaneous tests; 6 of 6 never are.
TEST(JudgeGrowth, ManyTestsShareAlpha) {
  std::map<std::string, std::vector<Pair>> groups = {{"f", Repeated(8, 2)}, {"small", Repeated(6, 2)}};
  EXPECT_TRUE(JudgeGrowth(groups, 1.5)[0].grew);
  EXPECT_FALSE(JudgeGrowth(groups, 1.5)[1].grew);
  for (int i = 0; i < 50; ++i) groups[absl::StrCat("g", i)] = Repeated(20, 1);
  EXPECT_FALSE(JudgeGrowth(groups, 1.5)[0].grew);
}

// Times that are only noise: 300 functions with 30 cases each, ratios up and down with the same distribution.
// Of 200 gates, about two may find something at alpha = 0.01. The seed is fixed.
TEST(JudgeGrowth, NoiseIsAccusedNoOftenerThanStated) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> noise(0, 1);
  int accused = 0;
  for (int gate = 0; gate < 200; ++gate) {
    std::map<std::string, std::vector<Pair>> groups;
    for (int f = 0; f < 300; ++f) {
      std::vector<Pair>& pairs = groups[std::to_string(f)];
      for (int i = 0; i < 30; ++i) pairs.push_back({noise(random), noise(random)});
    }
    const auto growths = JudgeGrowth(groups, 1);
    if (std::any_of(growths.begin(), growths.end(), [](const Growth& growth) { return growth.grew; }))
      ++accused;
  }
  EXPECT_LE(accused, 6);
}

}  // namespace
}  // namespace diopi::reports
