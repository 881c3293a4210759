#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const double kNan = std::nan("");

TEST(Arithmetic, SubAndMulWrapAndScale) {
  TestTensor a(diopi_dtype_uint8, {3}, {0, 200, 7}), b(diopi_dtype_uint8, {3}, {1, 100, 2});
  TestTensor out(diopi_dtype_uint8, {3});
  const diopiScalar_t alpha = IntScalar(2), half = Scalar(-2.5);
  ASSERT_EQ(diopiSub(nullptr, out, a, b, &alpha), diopiSuccess);
  EXPECT_THAT(out.ints(), ElementsAre(254, 0, 3));
  ASSERT_EQ(diopiMul(nullptr, out, a, b), diopiSuccess);
  EXPECT_THAT(out.ints(), ElementsAre(0, 32, 14));
  TestTensor f(diopi_dtype_float32, {3});
  ASSERT_EQ(diopiMulScalar(nullptr, f, a, &half), diopiSuccess) << "an integer with a floating scalar";
  EXPECT_THAT(f.values(), ElementsAre(0, -500, -17.5));
  TestTensor flags(diopi_dtype_bool, {2}, {1, 0});
  EXPECT_EQ(diopiSubInp(nullptr, flags, flags, &alpha), diopiErrorOccurred);
}

struct DivRow {
  double x, y, trunc, floor;
};

TEST(Div, RoundsAsPythonDoes) {
  const DivRow rows[] = {{7, 2, 3, 3},   {-7, 2, -3, -4}, {7, -2, -3, -4},
                         {-7, -2, 3, 3}, {6, -3, -2, -2}, {0, -5, 0, 0}};
  for (diopiDtype_t dtype : {diopi_dtype_int8, diopi_dtype_int64, diopi_dtype_float16, diopi_dtype_bfloat16,
                             diopi_dtype_float64, kNoise64, kNoise80}) {
    for (const DivRow& row : rows) {
      TestTensor x(dtype, {1}, {row.x}), y(dtype, {1}, {row.y}), out(dtype, {1});
      ASSERT_EQ(diopiDiv(nullptr, out, x, y, RoundModeTrunc), diopiSuccess);
      EXPECT_EQ(out.values()[0], row.trunc) << row.x << " " << row.y << " " << DtypeName(dtype);
      ASSERT_EQ(diopiDivInp(nullptr, x, y, RoundModeFloor), diopiSuccess);
      EXPECT_EQ(x.values()[0], row.floor) << row.x << " " << row.y << " " << DtypeName(dtype);
    }
  }
}

TEST(Div, FloorIsExactWhereTheQuotientRoundsUp) {
  // 1.0 // 0.1 is 9 in Python: 0.1 is a little more than a tenth, yet the quotient rounds to 10.
  TestTensor x(diopi_dtype_float64, {1}, {1.0}), y(diopi_dtype_float64, {1}, {0.1});
  ASSERT_EQ(diopiDivInp(nullptr, x, y, RoundModeFloor), diopiSuccess);
  EXPECT_EQ(x.values()[0], 9);
}

// 1 / 0.1 is less than 10, and 10 where the quotient is rounded before it is truncated.
TEST(Div, TruncationNextToAWholeNumberHasTheNoiseOfAStep) {
  for (const diopiDtype_t dtype : {kNoise64, kNoise80}) {
    const double tenth = dtype == kNoise64 ? static_cast<double>(0.1F) : 0.1;
    TestTensor x(dtype, {3}, {1, 6, 1}), y(dtype, {3}, {tenth, 3, 0.3}), out(dtype, {3});
    ASSERT_EQ(diopiDiv(nullptr, out, x, y, RoundModeTrunc), diopiSuccess);
    EXPECT_THAT(out.values(), ElementsAre(9, 2, 3));
    EXPECT_EQ(out.noise()[0].s2, 1.0 / 16) << DtypeName(dtype);
    EXPECT_EQ(out.noise()[1].s2, 0) << "an exact quotient";
    EXPECT_EQ(out.noise()[2].s2, 0) << "far from a whole number";
  }
}

TEST(Div, IntegerEdges) {
  TestTensor low(diopi_dtype_int64, {1}), minus(diopi_dtype_int64, {1}, {-1}),
      zero(diopi_dtype_int64, {1}, {0});
  Store<int64_t>(low.view(), {std::numeric_limits<int64_t>::min()});
  ASSERT_EQ(diopiDivInp(nullptr, low, minus, RoundModeFloor), diopiSuccess);
  EXPECT_EQ(low.ints()[0], std::numeric_limits<int64_t>::min());
  EXPECT_EQ(diopiDivInp(nullptr, low, zero, RoundModeTrunc), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiDivInp: integer division by zero");
  EXPECT_EQ(diopiDivInp(nullptr, low, minus, RoundModeNone), diopiErrorOccurred);
  TestTensor f(diopi_dtype_float32, {1});
  ASSERT_EQ(diopiDiv(nullptr, f, minus, zero, RoundModeNone), diopiSuccess);
  EXPECT_EQ(f.values()[0], -kInf);
}

TEST(Pow, IntegersAndFloats) {
  TestTensor base(diopi_dtype_int32, {6}, {2, -1, 1, -3, 0, 10}),
      exponent(diopi_dtype_int32, {6}, {31, -3, -5, 3, 0, -2});
  TestTensor out(diopi_dtype_int32, {6});
  ASSERT_EQ(diopiPowTensor(nullptr, out, base, exponent), diopiSuccess);
  EXPECT_THAT(out.ints(), ElementsAre(std::numeric_limits<int32_t>::min(), -1, 1, -27, 1, 0));
  const diopiScalar_t negative = IntScalar(-2), half = Scalar(0.5);
  EXPECT_EQ(diopiPowInp(nullptr, base, &negative), diopiErrorOccurred);
  TestTensor f(diopi_dtype_float32, {2}, {4, 9});
  ASSERT_EQ(diopiPowInp(nullptr, f, &half), diopiSuccess);
  EXPECT_THAT(f.values(), ElementsAre(2, 3));
  ASSERT_EQ(diopiPowScalar(nullptr, f, &half, f), diopiSuccess);
  EXPECT_THAT(f.values(), ElementsAre(0.25, 0.125));
}

TEST(Unary, KnownValuesInEveryType) {
  for (diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_bfloat16, diopi_dtype_float32,
                             diopi_dtype_float64, kNoise64, kNoise80}) {
    TestTensor x(dtype, {3}, {-2, 0, 4}), out(dtype, {3});
    ASSERT_EQ(diopiRelu(nullptr, out, x), diopiSuccess);
    EXPECT_THAT(out.values(), ElementsAre(0, 0, 4));
    ASSERT_EQ(diopiAbs(nullptr, out, x), diopiSuccess);
    EXPECT_THAT(out.values(), ElementsAre(2, 0, 4));
    ASSERT_EQ(diopiSqrtInp(nullptr, out), diopiSuccess);
    EXPECT_EQ(out.values()[2], 2);
    ASSERT_EQ(diopiSigmoid(nullptr, out, x), diopiSuccess);
    EXPECT_EQ(out.values()[1], 0.5);
    EXPECT_NEAR(out.values()[2], 0.98201379, 3e-3);
    ASSERT_EQ(diopiTanh(nullptr, out, x), diopiSuccess);
    EXPECT_NEAR(out.values()[0], -0.96402758, 3e-3);
    ASSERT_EQ(diopiExp(nullptr, out, x), diopiSuccess);
    EXPECT_NEAR(out.values()[0], 0.13533528, 5e-4);
    ASSERT_EQ(diopiExpm1(nullptr, out, x), diopiSuccess);
    EXPECT_NEAR(out.values()[0], -0.86466472, 3e-3);
    ASSERT_EQ(diopiSin(nullptr, out, x), diopiSuccess);
    EXPECT_NEAR(out.values()[2], -0.75680250, 3e-3);
    ASSERT_EQ(diopiCos(nullptr, out, x), diopiSuccess);
    EXPECT_NEAR(out.values()[2], -0.65364362, 3e-3);
    EXPECT_EQ(out.values()[1], 1);
    for (const char* form : {"none", "tanh"}) {
      ASSERT_EQ(diopiGelu(nullptr, out, x, form), diopiSuccess);
      EXPECT_NEAR(out.values()[0], -0.0455, 3e-4) << form;
    }
  }
}

// A sine is right at the argument as it is given: no noise of the argument, which far from 0 would be as
// large as the result, hides a careless reduction.
TEST(Unary, TheSineOfALargeArgumentHasTheNoiseOfTheFunctionOnly) {
  TestTensor x(kNoise64, {1}), out(kNoise64, {1});
  const double u = Noise<double>::kUnit;
  Store(x.view(), std::vector<Noise<double>>{{1e5, (u * 1e5) * (u * 1e5) / 3}});
  ASSERT_EQ(diopiSin(nullptr, out, x), diopiSuccess);
  const Noise<double> y = out.noise()[0];
  EXPECT_EQ(y.v, std::sin(1e5));
  EXPECT_NEAR(std::sqrt(y.s2), 4 * u / std::sqrt(3) * std::fabs(y.v), 1e-12);
  ASSERT_EQ(diopiCosInp(nullptr, x), diopiSuccess);
  EXPECT_LT(std::sqrt(x.noise()[0].s2), 4 * u);
}

TEST(Unary, SpecialValues) {
  TestTensor x(diopi_dtype_float32, {4}, {kNan, -kInf, kInf, -1e30});
  ASSERT_EQ(diopiReluInp(nullptr, x), diopiSuccess);
  EXPECT_TRUE(std::isnan(x.values()[0]));
  EXPECT_EQ(x.values()[1], 0);
  EXPECT_EQ(x.values()[2], kInf);
  TestTensor i(diopi_dtype_int8, {2}, {-128, 5});
  ASSERT_EQ(diopiNegInp(nullptr, i), diopiSuccess);
  EXPECT_THAT(i.ints(), ElementsAre(-128, -5));
  ASSERT_EQ(diopiAbsInp(nullptr, i), diopiSuccess);
  EXPECT_THAT(i.ints(), ElementsAre(-128, 5));
  EXPECT_EQ(diopiExpInp(nullptr, i), diopiErrorOccurred) << "a floating result does not fit int8";
  TestTensor f(diopi_dtype_float32, {2});
  ASSERT_EQ(diopiExp(nullptr, f, i), diopiSuccess);
  EXPECT_NEAR(f.values()[1], std::exp(5.0), 1e-4);
}

// The derivative of each forward by differences, on the widest type.
TEST(Backward, IsTheDerivative) {
  const double h = 1e-4;
  for (double at : {-2.5, -0.3, 0.0, 0.7, 3.0}) {
    TestTensor around(kNoise80, {3}, {at - h, at, at + h}), y(kNoise80, {3}), grad(kNoise80, {3}, {1.5}),
        dx(kNoise80, {3});
    const auto difference = [&] { return 1.5 * (y.values()[2] - y.values()[0]) / (2 * h); };
    for (const char* form : {"none", "tanh"}) {
      ASSERT_EQ(diopiGelu(nullptr, y, around, form), diopiSuccess);
      ASSERT_EQ(diopiGeluBackward(nullptr, dx, grad, around, form), diopiSuccess);
      EXPECT_NEAR(dx.values()[1], difference(), 1e-7) << form << at;
    }
    ASSERT_EQ(diopiSigmoid(nullptr, y, around), diopiSuccess);
    ASSERT_EQ(diopiSigmoidBackward(nullptr, dx, grad, y), diopiSuccess);
    EXPECT_NEAR(dx.values()[1], difference(), 1e-7);
    ASSERT_EQ(diopiTanh(nullptr, y, around), diopiSuccess);
    ASSERT_EQ(diopiTanhBackward(nullptr, dx, grad, y), diopiSuccess);
    EXPECT_NEAR(dx.values()[1], difference(), 1e-7);
  }
  TestTensor x(diopi_dtype_float32, {1}), out(diopi_dtype_float32, {1});
  EXPECT_EQ(diopiGelu(nullptr, out, x, "sigmoid"), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("'sigmoid'"));
}

TEST(Arithmetic, AddcmulOfIntegersTruncatesItsFactor) {
  TestTensor x(diopi_dtype_int8, {2}, {100, -3}), a(diopi_dtype_int8, {2}, {4, 5}),
      out(diopi_dtype_int8, {2});
  const diopiScalar_t value = Scalar(2.9);
  ASSERT_EQ(diopiAddcmul(nullptr, out, x, a, a, &value), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(out.ints(), ElementsAre(132 - 256, 47));
  EXPECT_EQ(diopiAddcdiv(nullptr, out, x, a, a, &value), diopiDtypeNotSupported);
}

TEST(Select, MaskedFillBroadcasts) {
  TestTensor x(diopi_dtype_float16, {2, 2}, {1, 2, 3, 4}), mask(diopi_dtype_bool, {2}, {1, 0}),
      out(diopi_dtype_float16, {2, 2});
  TestTensor value(diopi_dtype_float16, {}, {-7});
  const diopiScalar_t scalar = Scalar(-kInf);
  ASSERT_EQ(diopiMaskedFill(nullptr, out, x, mask, value), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(-7, 2, -7, 4));
  ASSERT_EQ(diopiMaskedFillInpScalar(nullptr, x, mask, &scalar), diopiSuccess);
  EXPECT_THAT(x.values(), ElementsAre(-kInf, 2, -kInf, 4));
  EXPECT_EQ(diopiMaskedFill(nullptr, out, x, value, value), diopiErrorOccurred) << "a float mask";
}

TEST(Select, WhereAndCast) {
  TestTensor c(diopi_dtype_uint8, {3}, {2, 0, 255}), x(diopi_dtype_int32, {3}, {1, 2, 3}),
      y(diopi_dtype_float32, {}, {0.5});
  TestTensor out(diopi_dtype_float32, {3});
  ASSERT_EQ(diopiWhere(nullptr, out, c, x, y), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(1, 0.5, 3));
  TestTensor f(diopi_dtype_float64, {4}, {-1.9, 1.9, 65520, 0.1}), h(diopi_dtype_float16, {4}),
      i(diopi_dtype_int8, {4}), b(diopi_dtype_bool, {4});
  ASSERT_EQ(diopiCastDtype(nullptr, h, f), diopiSuccess);
  EXPECT_EQ(h.values()[2], kInf);
  EXPECT_EQ(h.values()[3], 0x1.998p-4);
  ASSERT_EQ(diopiCastDtype(nullptr, i, f), diopiSuccess);
  EXPECT_THAT(i.ints(), ElementsAre(-1, 1, -16, 0));
  TestTensor complex(diopi_dtype_float64, {4});
  static_cast<diopiTensorHandle_t>(complex)->dtype = diopi_dtype_complex64;
  EXPECT_EQ(diopiCastDtype(nullptr, complex, f), diopiDtypeNotSupported)
      << "and no exception ends the program";
  ASSERT_EQ(diopiCastDtype(nullptr, b, f), diopiSuccess);
  EXPECT_THAT(b.ints(), ElementsAre(1, 1, 1, 1));
  const diopiScalar_t three = Scalar(3.75);
  ASSERT_EQ(diopiFill(nullptr, i, &three), diopiSuccess);
  EXPECT_THAT(i.ints(), ElementsAre(3, 3, 3, 3));
}

}  // namespace
}  // namespace diopi::ops
