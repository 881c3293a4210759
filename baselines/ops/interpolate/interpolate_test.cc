#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "baselines/ops/interpolate/interpolate_common.h"
#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Interpolate, NearestCopiesEveryBit) {
  TestTensor x(kFloat, {1, 1, 2}, {-0.0, INFINITY}), out(kFloat, {1, 1, 3});
  const Shape size = {3};
  ASSERT_EQ(diopiUpsampleNearest(nullptr, out, x, View(size)), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_TRUE(std::signbit(out.values()[0]));
  EXPECT_THAT(out.values(), ElementsAre(-0.0, -0.0, INFINITY));
}

TEST(Interpolate, CornersOrCentres) {
  TestTensor x(kFloat, {1, 1, 2}, {1, 3}), out(kFloat, {1, 1, 4});
  const Shape size = {4};
  ASSERT_EQ(diopiUpsampleLinear(nullptr, out, x, View(size), false, "linear"), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(1, 1.5, 2.5, 3));
  TestTensor corners(kFloat, {1, 1, 3});
  const Shape three = {3};
  ASSERT_EQ(diopiUpsampleLinear(nullptr, corners, x, View(three), true, "linear"), diopiSuccess);
  EXPECT_THAT(corners.values(), ElementsAre(1, 2, 3));
}

// Positions that are an element's except for rounding: 31 / 7 * 3.5 - 0.5 is 15, 31 / 7 * 7 is the last
// corner.
TEST(Interpolate, AnotherRoundingHasATapBeyond) {
  const struct {
    Interpolation interpolation;
    bool corners;
    int64_t in, out, i;
    std::optional<int64_t> index;
  } kRows[] = {
      {Interpolation::kCubic, false, 31, 7, 3, 13},
      {Interpolation::kLinear, false, 31, 7, 3, 14},
      {Interpolation::kLinear, true, 32, 8, 7, 30},
      {Interpolation::kLinear, true, 32, 8, 0, std::nullopt},
      {Interpolation::kLinear, false, 31, 7, 2, std::nullopt},
      {Interpolation::kCubic, false, 4, 8, 3, std::nullopt},
      {Interpolation::kNearest, false, 31, 7, 3, std::nullopt},
  };
  for (const auto& row : kRows) {
    const Resampling resampling{row.interpolation, row.corners};
    const auto tap = resampling.Beyond<Noise<double>>(row.in, row.out, row.i);
    ASSERT_EQ(tap.has_value(), row.index.has_value()) << row.in << " to " << row.out << ", " << row.i;
    if (!tap.has_value()) continue;
    EXPECT_EQ(tap->index, *row.index) << row.in << " to " << row.out << ", " << row.i;
    EXPECT_EQ(tap->weight.v, 0);
    EXPECT_GT(8 * std::sqrt(tap->weight.s2), 0x1p-24) << row.in << " to " << row.out << ", " << row.i;
  }
}

TEST(Interpolate, ErrorsAreTold) {
  TestTensor x(kFloat, {1, 1, 2, 2}), out(kFloat, {1, 1, 3, 3}), empty(kFloat, {1, 1, 0, 2});
  const struct {
    const TestTensor& input;
    Shape size;
    const char* mode;
    const char* text;
  } kCases[] = {
      {x, {3, 3}, "cubic", "unknown mode 'cubic'"},
      {x, {3, 3}, "linear", "mode 'linear' is for tensors of 3 dimensions, got 4"},
      {x, {3, 3}, nullptr, "expected a mode"},
      {x, {3}, "bilinear", "expected a size of 2 values, got 1"},
      {x, {4, 3}, "bilinear", "expected out of shape (1, 1, 4, 3), got (1, 1, 3, 3)"},
      {empty, {3, 3}, "bicubic", "sizes should be greater than 0"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(diopiUpsampleLinear(nullptr, out, c.input, View(c.size), false, c.mode), diopiErrorOccurred);
    EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(c.text));
  }
  const Shape three = {3, 3}, wrong = {1, 2, 2, 2};
  EXPECT_EQ(diopiUpsampleNearestBackward(nullptr, x, out, View(three), View(wrong)), diopiErrorOccurred);
}

}  // namespace
}  // namespace diopi::ops
