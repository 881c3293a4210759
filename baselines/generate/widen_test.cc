#include "baselines/generate/widen.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "gtest/gtest.h"

namespace diopi::baselines {
namespace {

using D = v1::Dtype;

constexpr double kInf = std::numeric_limits<double>::infinity();

HostTensor DoublesOf(std::vector<double> values) {
  HostTensor tensor{D::float64, {static_cast<int64_t>(values.size())}, {}};
  tensor.data.assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return tensor;
}

TEST(WidenToNoiseTest, ALeafCarriesOneRoundingAndComesBackWhole) {
  HostTensor floats{D::float32, {4}, std::string(16, '\0')};
  const double values[] = {1.5, -3.0, 0.0, kInf};
  for (int i = 0; i < 4; ++i) StoreDouble(D::float32, floats.data.data(), i, values[i]);
  const TensorMap wide = WidenToNoise({{"x", floats}}, D::noise64);
  ASSERT_EQ(wide.at("x").dtype, D::noise64);
  const auto expected = SplitNoise(wide.at("x"), D::float32);
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_FALSE(expected->has_low);
  EXPECT_EQ(expected->sigma.dtype, D::float32);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(ElementAsDouble(expected->r, i), values[i]);
  EXPECT_NEAR(ElementAsDouble(expected->sigma, 0), 1.5 * 0x1p-24 / std::sqrt(3.0), 1e-13);
  EXPECT_EQ(ElementAsDouble(expected->sigma, 2), 0.0);
  EXPECT_EQ(ElementAsDouble(expected->sigma, 3), 0.0);
}

TEST(WidenToNoiseTest, IntegersStayAsTheyAre) {
  const HostTensor index{D::int64, {1}, std::string(8, '\1')};
  EXPECT_EQ(WidenToNoise({{"i", index}}, D::noise80).at("i").dtype, D::int64);
  EXPECT_EQ(WidenToFloat64({{"i", index}}, Power::kTwo).at("i").data, index.data);
}

TEST(WidenSigmaTest, TakesTheLarger) {
  Expected one, other;
  one.sigma = DoublesOf({1, 3, 0});
  other.sigma = DoublesOf({2, 2, 0});
  WidenSigma(other, &one);
  EXPECT_EQ(one.sigma.data, DoublesOf({2, 3, 0}).data);
}

TEST(SplitNoiseTest, KeepsWhatFloat64CannotHold) {
  struct {
    long double v = 1.0L + 0x1p-60L;
    long double s2 = 0x1p-106L;
  } element;
  HostTensor noise{D::noise80, {}, std::string(32, '\0')};
  std::memcpy(noise.data.data(), &element.v, 10);
  std::memcpy(noise.data.data() + 16, &element.s2, 10);
  const auto expected = SplitNoise(noise, D::float64);
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(ElementAsDouble(expected->r, 0), 1.0);
  EXPECT_EQ(ElementAsDouble(expected->low, 0), 0x1p-60);
  EXPECT_EQ(ElementAsDouble(expected->sigma, 0), 0x1p-53);
}

TEST(SplitNoiseTest, RefusesAnotherType) {
  EXPECT_FALSE(SplitNoise(DoublesOf({1}), D::float32).ok());
}

TEST(WidenToFloat64Test, GivesEachPower) {
  const TensorMap x = {{"x", DoublesOf({-3, 0.5})}};
  EXPECT_EQ(ElementAsDouble(WidenToFloat64(x, Power::kZero).at("x"), 0), 1.0);
  EXPECT_EQ(ElementAsDouble(WidenToFloat64(x, Power::kOne).at("x"), 0), -3.0);
  EXPECT_EQ(ElementAsDouble(WidenToFloat64(x, Power::kTwo).at("x"), 1), 0.25);
}

TEST(LinearNoiseTest, IsTheFormulaOfTheVerdict) {
  const double r = 7, q2 = 40, n = 5, u = 0x1p-24;
  const auto expected = LinearNoise(DoublesOf({r}), DoublesOf({q2}), DoublesOf({n}), D::float32);
  ASSERT_TRUE(expected.ok()) << expected.status();
  const double variance = u * u / 3 * ((n - 1) * (q2 / 2 + r * r / 3) + q2);
  EXPECT_FLOAT_EQ(static_cast<float>(ElementAsDouble(expected->sigma, 0)),
                  static_cast<float>(std::sqrt(variance)));
}

// A product that float32 rounds to a subnormal number, or to none, is off by up to half a subnormal step.
TEST(LinearNoiseTest, KnowsSubnormalRoundings) {
  const auto expected =
      LinearNoise(DoublesOf({1e-43, 0}), DoublesOf({1e-87, 0}), DoublesOf({100, 100}), D::float32);
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_NEAR(ElementAsDouble(expected->sigma, 0), 0x1p-150 * 10 / std::sqrt(3.0), 0x1p-149);
  EXPECT_EQ(ElementAsDouble(expected->sigma, 1), 0.0) << "products of zeros";
  const auto one = LinearNoise(DoublesOf({1e-43}), DoublesOf({1e-86}), DoublesOf({1}), D::float32);
  EXPECT_EQ(ElementAsDouble(one->sigma, 0), 0x1p-149) << "not rounded to 0";
}

TEST(LinearNoiseTest, InfinityAndOverflowOfTheSquares) {
  const auto expected =
      LinearNoise(DoublesOf({kInf, 1e200}), DoublesOf({kInf, kInf}), DoublesOf({2, 2}), D::float64);
  ASSERT_TRUE(expected.ok()) << expected.status();
  EXPECT_EQ(ElementAsDouble(expected->sigma, 0), 0.0);
  EXPECT_TRUE(std::isfinite(ElementAsDouble(expected->sigma, 1)));
  EXPECT_GT(ElementAsDouble(expected->sigma, 1), 0.0);
}

}  // namespace
}  // namespace diopi::baselines
