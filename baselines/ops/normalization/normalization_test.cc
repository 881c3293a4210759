#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(LayerNorm, ConstantRowsAreTheBias) {
  TestTensor x(kFloat, {2, 3}, {4}), w(kFloat, {3}, {1, 2, 3}), b(kFloat, {3}, {5, 6, 7}),
      out(kFloat, {2, 3});
  TestTensor mean(kFloat, {2}), rstd(kFloat, {2});
  const Shape three = {3};
  ASSERT_EQ(diopiLayerNorm(nullptr, out, mean, rstd, x, w, b, View(three), 0.25), diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(5, 6, 7, 5, 6, 7));
  EXPECT_THAT(mean.values(), Each(4));
  EXPECT_THAT(rstd.values(), Each(2));
}

TEST(LayerNorm, NoRowsGiveZeroGradients) {
  TestTensor none(kFloat, {0, 3}), saved(kFloat, {0}), dw(kFloat, {3}, {7}), db(kFloat, {3}, {7});
  const Shape three = {3};
  ASSERT_EQ(
      diopiLayerNormBackward(nullptr, none, dw, db, none, none, nullptr, nullptr, saved, saved, View(three)),
      diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_THAT(dw.values(), Each(0));
  EXPECT_THAT(db.values(), Each(0));
}

TEST(LayerNorm, ErrorsAreTold) {
  TestTensor x(kFloat, {2, 3}), mean(kFloat, {2}), one(kFloat, {1});
  const Shape two = {2}, three = {3};
  EXPECT_EQ(diopiLayerNorm(nullptr, x, mean, mean, x, nullptr, nullptr, View(two), 0), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("given normalized_shape (2,)"));
  EXPECT_EQ(diopiLayerNorm(nullptr, x, one, mean, x, nullptr, nullptr, View(three), 0), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("expected save_mean of 2 elements, got shape (1,)"));
}

TEST(GroupNorm, ErrorsAreTold) {
  TestTensor x(kFloat, {1, 4, 2}), saved(kFloat, {1, 2}), out(kFloat, {1, 4, 2});
  EXPECT_EQ(diopiGroupNorm(nullptr, out, saved, saved, x, nullptr, nullptr, 3, 0), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("divisible by num_groups, got 4 and 3"));
  EXPECT_EQ(diopiGroupNorm(nullptr, out, saved, saved, x, nullptr, nullptr, 4, 0), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("expected save_mean of shape (1, 4), got (1, 2)"));
}

TEST(BatchNorm, UpdatesTheRunningStatisticsWithTheUnbiasedVariance) {
  TestTensor x(kFloat, {2, 1}, {1, 3}), out(kFloat, {2, 1}), mean(kFloat, {1}), invstd(kFloat, {1});
  TestTensor running_mean(kFloat, {1}, {8}), running_var(kFloat, {1}, {10});
  ASSERT_EQ(diopiBatchNorm(nullptr, out, mean, invstd, x, nullptr, nullptr, running_mean, running_var, true,
                           0.25, 3),
            diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_THAT(mean.values(), ElementsAre(2));
  EXPECT_THAT(invstd.values(), ElementsAre(0.5));
  EXPECT_THAT(out.values(), ElementsAre(-0.5, 0.5));
  EXPECT_THAT(running_mean.values(), ElementsAre(6.5));
  EXPECT_THAT(running_var.values(), ElementsAre(8));
}

TEST(BatchNorm, OutsideTrainingNeedsRunningStatistics) {
  TestTensor x(kFloat, {2, 1}), saved(kFloat, {0});
  EXPECT_EQ(diopiBatchNorm(nullptr, x, saved, saved, x, nullptr, nullptr, nullptr, nullptr, false, 0.3, 1e-3),
            diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("must be given unless training"));
}

}  // namespace
}  // namespace diopi::ops
