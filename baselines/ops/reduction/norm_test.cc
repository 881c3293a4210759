#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct PRow {
  double p, norm;
};

TEST(Norm, EveryP) {
  const Shape rows = {1};
  const PRow table[] = {
      {0, 2},    {1, 7},    {2, 5}, {3, std::cbrt(91)}, {0.5, std::pow(2 + std::sqrt(3), 2)},
      {kInf, 4}, {-kInf, 0}};
  for (diopiDtype_t dtype :
       {diopi_dtype_float16, diopi_dtype_float32, diopi_dtype_float64, kNoise64, kNoise80}) {
    for (const PRow& row : table) {
      TestTensor x(dtype, {2, 3}, {3, 0, -4}), out(dtype, {2, 1});
      const diopiScalar_t p = Scalar(row.p);
      ASSERT_EQ(diopiNorm(nullptr, out, x, &p, View(rows)), diopiSuccess) << diopiGetLastErrorString();
      EXPECT_NEAR(out.values()[0], row.norm, row.norm * 1e-3) << row.p << DtypeName(dtype);
      EXPECT_EQ(out.values()[1], out.values()[0]);
    }
  }
}

TEST(Norm, SquaresOfFloat16AreSummedInFloat32) {
  TestTensor x(diopi_dtype_float16, {4}, {300, -300, 300, -300}), out(diopi_dtype_float16, {});
  const diopiScalar_t p = IntScalar(2);
  ASSERT_EQ(diopiNorm(nullptr, out, x, &p, {nullptr, 0}), diopiSuccess);
  EXPECT_EQ(out.values()[0], 600);
}

TEST(Norm, ExtremesHaveNoNoiseAndSeeNan) {
  TestTensor x(kNoise64, {2, 2}), out(kNoise64, {2});
  Store(x.view(), std::vector<Noise<double>>{{-2.0, 1.0}, {1.0, 1.0}, {std::nan(""), 0.0}, {3.0, 1.0}});
  const Shape rows = {1};
  const diopiScalar_t p = Scalar(kInf);
  ASSERT_EQ(diopiNorm(nullptr, out, x, &p, View(rows)), diopiSuccess);
  EXPECT_EQ(out.noise()[0].v, 2);
  EXPECT_EQ(out.noise()[0].s2, 0);
  EXPECT_TRUE(std::isnan(out.values()[1]));
  TestTensor empty(kNoise64, {0}), none(kNoise64, {});
  EXPECT_EQ(diopiNorm(nullptr, none, empty, &p, {nullptr, 0}), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("there is no identity"));
}

TEST(NormBackward, OfNanWithInfinitePIsZero) {
  const double nan = std::nan("");
  const Shape rows = {1};
  for (const double p : {kInf, -kInf}) {
    TestTensor x(kFloat, {2, 3}, {1, nan, -2, -3, 3, 3}), norm(kFloat, {2}, {nan, 3}),
        grad(kFloat, {2}, {5, 6});
    TestTensor dx(kFloat, {2, 3});
    const diopiScalar_t power = Scalar(p);
    ASSERT_EQ(diopiNormBackward(nullptr, dx, grad, x, norm, View(rows), &power), diopiSuccess);
    EXPECT_THAT(dx.values(), ElementsAre(0, 0, 0, -2, 2, 2)) << p;
  }
}

// The derivative of the norm by differences, on the widest type.
TEST(NormBackward, IsTheDerivative) {
  const double h = 1e-5;
  for (double p : {0.5, 1.0, 1.5, 2.0, 3.0, -1.0, kInf, -kInf}) {
    const diopiScalar_t scalar = Scalar(p);
    TestTensor x(kNoise80, {3}, {1.5, -2.5, 0.75}), norm(kNoise80, {}), grad(kNoise80, {}, {1.5});
    TestTensor dx(kNoise80, {3}), low(kNoise80, {}), high(kNoise80, {});
    ASSERT_EQ(diopiNorm(nullptr, norm, x, &scalar, {nullptr, 0}), diopiSuccess);
    ASSERT_EQ(diopiNormBackward(nullptr, dx, grad, x, norm, {nullptr, 0}, &scalar), diopiSuccess)
        << diopiGetLastErrorString();
    for (size_t i = 0; i < 3; ++i) {
      std::vector<double> down = x.values(), up = x.values();
      down[i] -= h;
      up[i] += h;
      ASSERT_EQ(diopiNorm(nullptr, low, TestTensor(kNoise80, {3}, down), &scalar, {nullptr, 0}),
                diopiSuccess);
      ASSERT_EQ(diopiNorm(nullptr, high, TestTensor(kNoise80, {3}, up), &scalar, {nullptr, 0}), diopiSuccess);
      EXPECT_NEAR(dx.values()[i], 1.5 * (high.values()[0] - low.values()[0]) / (2 * h), 1e-8)
          << p << " " << i;
    }
  }
}

TEST(NormBackward, ZerosAndTies) {
  const Shape rows = {1};
  TestTensor x(diopi_dtype_float32, {2, 2}, {0, 0, 3, -3}), grad(diopi_dtype_float32, {2}, {1});
  TestTensor norm(diopi_dtype_float32, {2}), dx(diopi_dtype_float32, {2, 2});
  const diopiScalar_t largest = Scalar(kInf), three = Scalar(3), zero = Scalar(0);
  ASSERT_EQ(diopiNorm(nullptr, norm, x, &three, View(rows)), diopiSuccess);
  ASSERT_EQ(diopiNormBackward(nullptr, dx, grad, x, norm, View(rows), &three), diopiSuccess);
  EXPECT_EQ(dx.values()[0], 0);
  ASSERT_EQ(diopiNorm(nullptr, norm, x, &largest, View(rows)), diopiSuccess);
  ASSERT_EQ(diopiNormBackward(nullptr, dx, grad, x, norm, View(rows), &largest), diopiSuccess);
  EXPECT_THAT(dx.values(), ElementsAre(0, 0, 0.5, -0.5));
  ASSERT_EQ(diopiNormBackward(nullptr, dx, grad, x, norm, View(rows), &zero), diopiSuccess);
  EXPECT_THAT(dx.values(), ElementsAre(0, 0, 0, 0));
}

TEST(Std, CorrectionIsTakenFromTheCount) {
  const diopiScalar_t none = IntScalar(0), two = IntScalar(2), three = IntScalar(3);
  TestTensor x(diopi_dtype_float32, {3}, {28, 30, 35}), out(diopi_dtype_float32, {});
  const auto deviation = [&](const diopiScalar_t* correction) {
    EXPECT_EQ(diopiStd(nullptr, out, x, {nullptr, 0}, correction), diopiSuccess) << diopiGetLastErrorString();
    return out.values()[0];
  };
  EXPECT_NEAR(deviation(nullptr), std::sqrt(13.0), 1e-6);
  EXPECT_NEAR(deviation(&none), std::sqrt(26.0 / 3), 1e-6);
  EXPECT_NEAR(deviation(&two), std::sqrt(26.0), 1e-6);
  EXPECT_EQ(deviation(&three), kInf);
}

}  // namespace
}  // namespace diopi::ops
