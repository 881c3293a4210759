#include "impl_loader/adaptor/convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cases/base/tensor.h"

namespace diopi::loader {
namespace {

using D = v1::Dtype;

struct Row {
  Dtype from;
  Dtype to;
  double value;  // exact in `from`
  double result;
  bool lost;
  bool rounded;
};

TEST(ConvertTest, EveryFate) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Row rows[] = {
      {D::int64, D::int32, -5, -5, false, false},
      {D::int64, D::int32, 2147483647, 2147483647, false, false},
      {D::int64, D::int32, 2147483648, -2147483648, true, false},
      {D::int64, D::int32, -2147483649, 2147483647, true, false},
      {D::int64, D::uint64, -1, 0x1p64, true, false},  // 2^64 - 1, the nearest double
      {D::uint8, D::int8, 200, -56, true, false},
      {D::int8, D::uint16, -1, 65535, true, false},
      {D::bool_, D::int32, 1, 1, false, false},
      {D::int32, D::bool_, 1, 1, false, false},
      {D::int32, D::bool_, 7, 1, true, false},
      {D::int64, D::float32, 16777216, 16777216, false, false},
      {D::int64, D::float32, 16777217, 16777216, true, false},
      {D::int32, D::float16, 70000, inf, true, false},
      {D::float64, D::float32, 0.5, 0.5, false, false},
      {D::float64, D::float32, 0.1, 0.1F, false, true},
      {D::float64, D::float32, 1e300, inf, true, false},
      {D::float64, D::float32, inf, inf, false, false},
      {D::float64, D::float32, nan, nan, false, false},
      {D::float64, D::float32, 1e-60, 0, false, true},
      {D::float64, D::bfloat16, 1.01, 1.0078125, false, true},
      {D::float16, D::float32, 0.25, 0.25, false, false},
      {D::float32, D::float64, 0.25, 0.25, false, false},
      {D::float32, D::int32, -3, -3, false, false},
      {D::float32, D::int32, 2.5, 2, true, false},
      {D::float32, D::int32, 2147483648.0, 0, true, false},
      {D::float64, D::int64, -0x1p63, -0x1p63, false, false},
      {D::float64, D::int64, 0x1p63, 0, true, false},
      {D::float32, D::uint8, -1, 0, true, false},
      {D::float32, D::int32, nan, 0, true, false},
      {D::float32, D::bool_, 1, 1, false, false},
      {D::float32, D::bool_, 0.5, 1, true, false},
  };
  for (const Row& row : rows) {
    ASSERT_TRUE(CanConvert(row.from, row.to));
    char source[16] = {};
    char target[16] = {};
    // The second of two elements: the first is 0 and always exact.
    StoreDouble(row.from, source, 1, row.value);
    const Conversion done = Convert(row.from, source, row.to, target, 2);
    const std::string what = std::string(DtypeName(row.from)) + " to " + std::string(DtypeName(row.to)) +
                             " " + std::to_string(row.value);
    const double result = ElementAsDouble(row.to, target, 1);
    EXPECT_TRUE(result == row.result || (std::isnan(result) && std::isnan(row.result)))
        << what << ": " << result;
    EXPECT_EQ(done.elements, 2) << what;
    EXPECT_EQ(done.lost, row.lost ? 1 : 0) << what;
    EXPECT_EQ(done.first_lost, row.lost ? 1 : -1) << what;
    EXPECT_EQ(done.first_text.empty(), !row.lost) << what;
    EXPECT_EQ(done.rounded, row.rounded ? 1 : 0) << what;
  }
}

TEST(ConvertTest, IntegersBeyondDoublesStayWhatTheyAre) {
  const int64_t source[] = {std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  uint64_t target[2] = {};
  const Conversion done = Convert(D::int64, source, D::uint64, target, 2);
  EXPECT_EQ(target[0], 9223372036854775807U);
  EXPECT_EQ(done.lost, 1);
  EXPECT_EQ(done.first_text, "-9223372036854775808");
  double wide[2] = {};
  EXPECT_EQ(Convert(D::int64, source, D::float64, wide, 2).lost, 1);  // 2^63 - 1 is no double
}

TEST(ConvertTest, ComplexIsPairs) {
  const double source[] = {1, -2, 0.1, 4};
  float target[4] = {};
  ASSERT_TRUE(CanConvert(D::complex128, D::complex64));
  EXPECT_EQ(Convert(D::complex128, source, D::complex64, target, 2).rounded, 1);
  EXPECT_EQ(target[1], -2.0F);
  EXPECT_EQ(target[3], 4.0F);
  EXPECT_FALSE(CanConvert(D::complex64, D::float32));
  EXPECT_FALSE(CanConvert(D::float32, D::unsupported));
}

}  // namespace
}  // namespace diopi::loader
