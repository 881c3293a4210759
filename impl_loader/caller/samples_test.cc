#include "impl_loader/caller/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace diopi::loader {
namespace {

using ::testing::ElementsAreArray;

// Samples are taken as `order` says, undisturbed (u) or disturbed (d), and last 0, 1, 2, ... microseconds.
TEST(SampleSet, DisturbedSamplesOnlyReplaceMissingOnes) {
  const struct {
    int most;
    int fewest;
    std::string_view order;
    bool complete;
    std::vector<double> kept;
    int disturbed;
  } rows[] = {
      {2, 2, "uu", true, {0, 1}, 0},       {3, 2, "duudu", true, {1, 2, 4}, 0},
      {2, 6, "dud", true, {1, 0}, 1},      {2, 6, "dd", true, {0, 1}, 2},
      {4, 3, "uudd", false, {0, 1, 2}, 1}, {4, 1, "uudd", false, {0, 1}, 0},
      {4, 2, "dudud", false, {1, 3}, 0},   {0, 3, "", true, {}, 0},
  };
  for (const auto& row : rows) {
    SampleSet samples(row.most, row.fewest);
    for (std::size_t i = 0; i < row.order.size(); ++i) {
      EXPECT_FALSE(samples.Complete()) << row.order;
      samples.Add(static_cast<double>(i), row.order[i] == 'd');
    }
    EXPECT_EQ(samples.Complete(), row.complete) << row.order;
    int disturbed = 0;
    EXPECT_THAT(std::move(samples).Take(&disturbed), ElementsAreArray(row.kept)) << row.order;
    EXPECT_EQ(disturbed, row.disturbed) << row.order;
  }
}

TEST(SampleSet, EnoughToStopEarly) {
  SampleSet samples(10, 2);
  samples.Add(1, true);
  EXPECT_FALSE(samples.EnoughTaken());
  samples.Add(2, false);
  EXPECT_TRUE(samples.EnoughTaken());
  EXPECT_FALSE(samples.EnoughUndisturbed());
  samples.Add(3, false);
  EXPECT_TRUE(samples.EnoughUndisturbed());
}

}  // namespace
}  // namespace diopi::loader
