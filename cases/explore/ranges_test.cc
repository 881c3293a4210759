#include "cases/explore/ranges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace diopi::explore {
namespace {

v1::Fill Uniform(double low, double high) {
  v1::Fill fill;
  fill.mutable_uniform()->set_low(low);
  fill.mutable_uniform()->set_high(high);
  return fill;
}

v1::Fill Permutation() {
  v1::Fill fill;
  fill.mutable_permutation();
  return fill;
}

TEST(Narrow, StaysInsideOneRangeOfThePoints) {
  Draws draws(1);
  const std::vector<v1::Fill> known = {Uniform(1, 3), Permutation(), Uniform(-20, -10)};
  bool low = false, high = false, positive = false;
  for (int i = 0; i < 300; ++i) {
    v1::PointTensor tensor;
    ASSERT_NE(Narrow(known, /*ties=*/false, &draws, &tensor), "");
    const v1::Fill::Uniform& drawn = tensor.fill().uniform();
    ASSERT_LT(drawn.low(), drawn.high());
    const bool upper = drawn.low() >= 1 && drawn.high() <= 3;
    EXPECT_TRUE(upper || (drawn.low() >= -20 && drawn.high() <= -10)) << drawn.low() << " " << drawn.high();
    positive = positive || upper;
    low = low || drawn.high() <= -15;
    high = high || drawn.low() >= 2.5;
  }
  EXPECT_TRUE(low && high && positive);
  v1::PointTensor tensor;
  EXPECT_EQ(Narrow({Permutation()}, true, &draws, &tensor), "") << "its values belong together";
  EXPECT_FALSE(tensor.has_fill());
}

TEST(Narrow, MakesAllElementsAlikeWhereTheyMayBe) {
  Draws draws(1);
  std::set<double> seen;
  for (int i = 0; i < 300; ++i) {
    v1::PointTensor tensor;
    Narrow({Uniform(0, 2)}, /*ties=*/true, &draws, &tensor);
    if (tensor.fill().has_constant()) seen.insert(tensor.fill().constant().value());
  }
  EXPECT_TRUE(seen.contains(1));
  EXPECT_FALSE(seen.contains(0)) << "an end of the range, which the points may avoid";
  for (const double value : seen) EXPECT_TRUE(value > 0 && value < 2) << value;
}

TEST(Enlarge, KeepsTheSign) {
  Draws draws(1);
  struct Row {
    v1::Fill known;
    bool negative, positive;
  };
  const Row rows[] = {{v1::Fill(), true, true},
                      {Uniform(1, 3), false, true},
                      {Uniform(1e6, 2e6), false, true},
                      {Uniform(-20, 0), true, false}};
  for (const Row& row : rows) {
    double most = 0;
    for (int i = 0; i < 50; ++i) {
      v1::PointTensor tensor;
      EXPECT_NE(Enlarge({row.known}, &draws, &tensor), "");
      const v1::Fill::Uniform& drawn = tensor.fill().uniform();
      EXPECT_LT(drawn.low(), drawn.high());
      EXPECT_EQ(drawn.low() < 0, row.negative);
      EXPECT_EQ(drawn.high() > 0, row.positive);
      EXPECT_GE(std::max(-drawn.low(), drawn.high()), 256);
      most = std::max({most, -drawn.low(), drawn.high()});
    }
    EXPECT_EQ(most, 2048);
  }
}

TEST(MakeWhole, TakesTheWholeNumbersInsideTheRange) {
  Draws draws(1);
  struct Row {
    v1::Fill known;
    int64_t reach, low, high;
  };
  v1::Fill far;
  far.mutable_normal()->set_mean(100);
  const Row rows[] = {{v1::Fill(), 8, -2, 2}, {v1::Fill(), 1, -1, 1}, {Uniform(0, 4), 8, 1, 3}};
  for (const Row& row : rows) {
    v1::PointTensor tensor;
    EXPECT_NE(MakeWhole({row.known}, row.reach, &draws, &tensor), "");
    EXPECT_EQ(tensor.fill().integers().low(), row.low);
    EXPECT_EQ(tensor.fill().integers().high(), row.high);
  }
  for (const v1::Fill& none : {far, Uniform(0, 1), Permutation()}) {
    v1::PointTensor tensor;
    EXPECT_EQ(MakeWhole({none}, 8, &draws, &tensor), "") << none.ShortDebugString();
  }
}

}  // namespace
}  // namespace diopi::explore
