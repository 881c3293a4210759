#include "cases/base/median.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "cases/base/split_mix.h"

namespace diopi {
namespace {

TEST(MedianTest, RanksOfTheInterval) {
  // n, and which of the sorted samples 1..n bound the interval: tables of the sign test.
  const std::tuple<int, double, double, double> rows[] = {
      {1, 1, 1, 1},    {2, 1, 1.5, 2},     {5, 1, 3, 5},       {6, 1, 3.5, 6},
      {8, 1, 4.5, 8},  {9, 2, 5, 8},       {15, 4, 8, 12},     {20, 6, 10.5, 15},
      {25, 8, 13, 18}, {50, 18, 25.5, 33}, {100, 40, 50.5, 61}};
  for (const auto& [n, low, median, high] : rows) {
    std::vector<double> samples;
    for (int i = n; i > 0; --i) samples.push_back(i);
    const MedianInterval interval = IntervalOfMedian(samples);
    EXPECT_EQ(interval.low, low) << n;
    EXPECT_EQ(interval.median, median) << n;
    EXPECT_EQ(interval.high, high) << n;
  }
  EXPECT_EQ(IntervalOfMedian({}).RelativeWidth(), 0);
  EXPECT_EQ(IntervalOfMedian({2, 4, 6}).RelativeWidth(), 1);
}

TEST(MedianTest, TheIntervalContainsTheMedianAsOftenAsItSays) {
  uint64_t state = 7;
  int contained = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples;
    for (int i = 0; i < 21; ++i) {
      const double uniform = static_cast<double>(SplitMix64(state++) >> 11) * 0x1p-53;
      samples.push_back(uniform * uniform);  // skewed; its median is 1/4
    }
    const MedianInterval interval = IntervalOfMedian(samples);
    contained += interval.low <= 0.25 && 0.25 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(contained, kTrials * 0.95);
  EXPECT_LE(contained, kTrials * 0.99);
}

}  // namespace
}  // namespace diopi
