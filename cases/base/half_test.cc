#include "cases/base/half.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace diopi {
namespace {

struct Format {
  const char* name;
  uint16_t (*narrow)(double);
  double (*widen)(uint16_t);
  uint16_t infinity;
  double smallest;  // subnormal
  double largest;
};

const Format kFormats[] = {
    {"float16", DoubleToFloat16, Float16ToDouble, 0x7c00, 0x1p-24, 65504.0},
    {"bfloat16", DoubleToBfloat16, Bfloat16ToDouble, 0x7f80, 0x1p-133, 0x1.fep127},
};

TEST(HalfTest, EveryNumberComesBack) {
  for (const Format& format : kFormats) {
    for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
      const double value = format.widen(static_cast<uint16_t>(bits));
      if (std::isnan(value)) {
        EXPECT_GT(bits & 0x7fffU, format.infinity);
        EXPECT_TRUE(std::isnan(format.widen(format.narrow(value))));
      } else {
        ASSERT_EQ(format.narrow(value), bits) << format.name;
      }
    }
  }
}

TEST(HalfTest, TiesGoToEvenAndTheirNeighboursToTheNearest) {
  for (const Format& format : kFormats) {
    for (uint16_t bits = 0; bits + 1 < format.infinity; ++bits) {
      const auto next = static_cast<uint16_t>(bits + 1);
      const double middle = (format.widen(bits) + format.widen(next)) / 2;
      ASSERT_EQ(format.narrow(middle), (bits & 1) == 0 ? bits : next) << format.name << bits;
      ASSERT_EQ(format.narrow(std::nextafter(middle, 0.0)), bits) << format.name << bits;
      ASSERT_EQ(format.narrow(std::nextafter(middle, 1e300)), next) << format.name << bits;
      ASSERT_EQ(format.narrow(-middle), 0x8000 | ((bits & 1) == 0 ? bits : next));
    }
  }
}

TEST(HalfTest, Ends) {
  for (const Format& format : kFormats) {
    EXPECT_EQ(format.widen(1), format.smallest);
    EXPECT_EQ(format.widen(static_cast<uint16_t>(format.infinity - 1)), format.largest);
    EXPECT_EQ(format.narrow(std::numeric_limits<double>::infinity()), format.infinity);
    EXPECT_EQ(format.narrow(1e300), format.infinity);
    EXPECT_EQ(format.narrow(-1e300), format.infinity | 0x8000);
    EXPECT_EQ(format.narrow(std::numeric_limits<double>::denorm_min()), 0);
    EXPECT_EQ(format.narrow(-0.0), 0x8000);
    EXPECT_EQ(format.narrow(format.smallest / 2), 0);
    EXPECT_EQ(format.narrow(std::nextafter(format.smallest / 2, 1.0)), 1);
  }
  EXPECT_EQ(DoubleToFloat16(65520.0), 0x7c00);  // the first that rounds up to infinity
  EXPECT_EQ(DoubleToFloat16(65519.999), 0x7bff);
}

}  // namespace
}  // namespace diopi
