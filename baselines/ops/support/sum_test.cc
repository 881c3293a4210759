#include "baselines/ops/support/sum.h"

#include <algorithm>
#include <cmath>

#include "gtest/gtest.h"

namespace diopi::ops {
namespace {

using N = Noise<double>;

N Total(const std::vector<double>& terms) {
  Sum<N> sum;
  for (const double term : terms) sum += N(term);
  return sum.total();
}

TEST(Sum, PlainNumbersAreAddedInOrder) {
  Sum<float> sum;
  for (const float term : {1e8F, 1.0F, -1e8F}) sum += term;
  EXPECT_EQ(sum.total(), (1e8F + 1.0F) - 1e8F);
}

TEST(Sum, NothingAndOneTermAreExact) {
  EXPECT_EQ(Total({}).s2, 0);
  EXPECT_EQ(Total({3}).v, 3);
  // 0 + 3 is still an addition to the noise number; no more than that.
  EXPECT_LE(Total({3}).s2, N::kUnit * N::kUnit * 9 / 3);
}

// Small terms before one large: this order costs almost nothing, the reverse costs one rounding of the large
// one at every addition. The variance has to allow for both, by the closed form.
TEST(Sum, TheOrderOfTermsHardlyMatters) {
  std::vector<double> rising(1000, 1e-6);
  rising.push_back(1);
  std::vector<double> falling = rising;
  std::reverse(falling.begin(), falling.end());
  const N up = Total(rising), down = Total(falling);
  const double closed = N::kUnit * N::kUnit / 3 * 1000 * (1 + 1000e-12) * (0.5 + 1.0 / 3);
  EXPECT_GE(up.s2, 0.99 * closed);
  EXPECT_LE(down.s2, 1.3 * up.s2);
  EXPECT_GE(down.s2, up.s2);
}

TEST(Sum, TermsBringTheirOwnNoise) {
  Sum<N> sum;
  sum += N(1, 0.25);
  sum += N(-1, 0.5);
  EXPECT_EQ(sum.total().v, 0);
  EXPECT_NEAR(sum.total().s2, 0.75, 1e-12);
}

TEST(Sum, InfinityCarriesNoNoise) {
  EXPECT_EQ(Total({1, HUGE_VAL, 2}).s2, 0);
  EXPECT_TRUE(std::isnan(Total({HUGE_VAL, -HUGE_VAL}).v));
  EXPECT_EQ(Total({HUGE_VAL, -HUGE_VAL}).s2, 0);
}

}  // namespace
}  // namespace diopi::ops
