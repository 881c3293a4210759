#include "cases/explore/edges.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>
#include <tuple>

namespace diopi::explore {
namespace {

using D = v1::Dtype;

TEST(AddSpecials, AreThoseThatTheFunctionIsDefinedFor) {
  Draws draws(1);
  for (const bool moves : {false, true}) {
    std::set<double> seen;
    bool nan = false, negative_zero = false;
    for (int i = 0; i < 500; ++i) {
      v1::PointTensor tensor;
      AddSpecials(D::float16, moves, {0.25, 0.1}, &draws, &tensor);
      EXPECT_GE(tensor.fill().specials().values_size(), 1);
      for (const double value : tensor.fill().specials().values()) {
        nan = nan || std::isnan(value);
        negative_zero = negative_zero || (value == 0 && std::signbit(value));
        if (!std::isnan(value)) seen.insert(value);
      }
    }
    EXPECT_TRUE(nan);
    EXPECT_EQ(negative_zero, !moves);
    for (const double value : {0.0, 0.25, -0.25, 3.0, -3.0, HUGE_VAL, -HUGE_VAL})
      EXPECT_TRUE(seen.contains(value)) << value;
    EXPECT_FALSE(seen.contains(0.1)) << "no number of float16";
    for (const double value : {65504.0, 0x1p-14, 0x1p-15, 0x1p-24})
      EXPECT_EQ(seen.contains(value), moves) << value;
  }
}

TEST(SetToEdge, StaysInTheTypesRangeAndPutsValuesAround) {
  Draws draws(1);
  for (const auto& [dtype, least, greatest] : {std::tuple{D::int8, int64_t{-128}, int64_t{127}},
                                               {D::uint8, int64_t{0}, int64_t{255}},
                                               {D::int32, -(int64_t{1} << 31), (int64_t{1} << 31) - 1},
                                               {D::int64, INT64_MIN, INT64_MAX}}) {
    std::set<int64_t> seen;
    for (int i = 0; i < 400; ++i) {
      v1::PointAttribute number;
      number.set_i(0);
      v1::PointTensor tensor;
      EXPECT_NE(SetToEdge(dtype, &draws, &number, &tensor), "");
      seen.insert(number.i());
      EXPECT_TRUE(number.i() >= least && number.i() <= greatest) << number.i();
      if (!tensor.has_fill()) continue;
      EXPECT_TRUE(tensor.fill().integers().low() >= least && tensor.fill().integers().low() <= number.i());
      EXPECT_TRUE(tensor.fill().integers().high() <= greatest &&
                  tensor.fill().integers().high() >= number.i());
    }
    EXPECT_EQ(seen.contains((1 << 24) + 1), greatest > 255);
    EXPECT_EQ(seen.contains(-(int64_t{1} << 53) - 1), dtype == D::int64);
    EXPECT_EQ(*seen.begin() < 0, least < 0);
  }
  v1::PointAttribute fraction;
  fraction.set_f(0.5);
  EXPECT_EQ(SetToEdge(D::int32, &draws, &fraction, nullptr), "");
}

TEST(Repeat, MakesRowsColumnsAndEveryOtherPattern) {
  Draws draws(1);
  std::set<std::string> shapes;
  for (int i = 0; i < 300; ++i) {
    v1::PointTensor tensor;
    for (const int64_t size : {2, 3, 4}) tensor.add_shape(size);
    const std::string what = Repeat(&draws, &tensor);
    if (!what.empty()) shapes.insert(what.substr(what.find('(')));
  }
  for (const char* shape :
       {"(1, 3, 4)", "(3, 4)", "(4)", "(2, 1, 4)", "(2, 3, 1)", "(2, 1, 1)", "(1, 3, 1)", "(1, 1, 1)", "()"})
    EXPECT_TRUE(shapes.contains(shape)) << shape;
  v1::PointTensor one;
  EXPECT_EQ(Repeat(&draws, &one), "");
}

}  // namespace
}  // namespace diopi::explore
