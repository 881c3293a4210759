#include "reports/performance/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "cases/base/split_mix.h"
#include "reports/performance/performance_testing.h"

namespace diopi::reports {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kCalls = 20;

// Twenty calls of 10 to 200 us on a machine whose speed wanders by `drift` from round to round, and which
// disturbs a tenth of the samples. `slow` makes that call slower by `by`.
std::vector<v1::Measurement> MeasuredRun(uint64_t seed, double drift, int slow = -1, double by = 1) {
  std::vector<v1::Measurement> run;
  uint64_t state = seed * 1'000'003;
  const auto uniform = [&state] { return static_cast<double>(SplitMix64(state++) >> 11) * 0x1p-53; };
  for (int c = 0; c < kCalls; ++c) {
    std::vector<std::vector<double>> rounds;
    for (int r = 0; r < 3; ++r) {
      const double speed = 1 + drift * (uniform() - 0.5);
      std::vector<double>& samples = rounds.emplace_back();
      for (int i = 0; i < 20; ++i) {
        const double disturbed = uniform() < 0.1 ? 1 + 3 * uniform() : 1;
        samples.push_back(10.0 * (c + 1) * speed * disturbed * (1 + 0.03 * uniform()) * (c == slow ? by : 1));
      }
    }
    run.push_back(MakeMeasurement(absl::StrCat("op", c, ".float32.n"), absl::StrCat("diopiOp", c), rounds));
  }
  return run;
}

TEST(ComparisonTest, FindsTheSlowCallAndNothingElse) {
  for (const double drift : {0.02, 0.2}) {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      const Comparison comparison = Compare(MeasuredRun(2 * seed, drift),
                                            MeasuredRun(2 * seed + 1, drift, 7, 1.8), ComparisonOptions());
      EXPECT_THAT(comparison.Functions(CallComparison::Change::kSlower), ElementsAre("diopiOp7"))
          << drift << " " << seed;
      EXPECT_THAT(comparison.Functions(CallComparison::Change::kFaster), IsEmpty());
    }
  }
}

TEST(ComparisonTest, TwoRunsOfOneLibraryDoNotDiffer) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const Comparison comparison =
        Compare(MeasuredRun(3 * seed, 0.3), MeasuredRun(3 * seed + 1, 0.3), ComparisonOptions());
    EXPECT_THAT(comparison.Functions(CallComparison::Change::kSlower), IsEmpty()) << seed;
    EXPECT_THAT(comparison.Functions(CallComparison::Change::kFaster), IsEmpty()) << seed;
  }
}

TEST(ComparisonTest, ADisturbedRoundHidesNothingAndAccusesNobody) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    std::vector<v1::Measurement> before = MeasuredRun(2 * seed, 0.05);
    for (v1::Measurement& measurement : before) {
      for (uint64_t& ns : *measurement.mutable_rounds(1)->mutable_warm_ns()) ns *= 5;
    }
    const Comparison slow = Compare(before, MeasuredRun(2 * seed + 1, 0.05, 7, 3.5), ComparisonOptions());
    EXPECT_THAT(slow.Functions(CallComparison::Change::kSlower), ElementsAre("diopiOp7")) << seed;
    const Comparison same = Compare(before, MeasuredRun(2 * seed + 1, 0.05), ComparisonOptions());
    EXPECT_THAT(same.Functions(CallComparison::Change::kSlower), IsEmpty()) << seed;
    EXPECT_THAT(same.Functions(CallComparison::Change::kFaster), IsEmpty()) << seed;
  }
}

TEST(ComparisonTest, ASlowerMachineAccusesNobody) {
  std::vector<v1::Measurement> slower = MeasuredRun(5, 0.02);
  for (v1::Measurement& measurement : slower) {
    for (v1::MeasuredRound& round : *measurement.mutable_rounds()) {
      for (uint64_t& ns : *round.mutable_warm_ns()) ns *= 3;
    }
  }
  const Comparison comparison = Compare(MeasuredRun(6, 0.02), slower, ComparisonOptions());
  EXPECT_NEAR(comparison.shared, 3, 0.2);
  EXPECT_THAT(comparison.Functions(CallComparison::Change::kSlower), IsEmpty());
  const Comparison chips = Compare(MeasuredRun(6, 0.02), slower, {1.1, /*share=*/false});
  EXPECT_EQ(chips.Functions(CallComparison::Change::kSlower).size(), size_t{kCalls});
  EXPECT_EQ(chips.calls[0].change, CallComparison::Change::kSlower);
  EXPECT_LT(chips.calls[0].low, chips.calls[0].ratio);
  EXPECT_GT(chips.calls[0].high, chips.calls[0].ratio);
}

TEST(ComparisonTest, OnlyEqualCallsAreCompared) {
  std::vector<v1::Measurement> before = MeasuredRun(8, 0.02), after = MeasuredRun(9, 0.02);
  after[3].set_case_hash("another version");
  after[4].clear_rounds();
  EXPECT_EQ(Compare(before, after, ComparisonOptions()).calls.size(), size_t{kCalls - 2});
}

}  // namespace
}  // namespace diopi::reports
