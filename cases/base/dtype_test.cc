#include "cases/base/dtype.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "cases/base/tensor.h"

namespace diopi {
namespace {

using D = v1::Dtype;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DtypeTest, NamesGoBothWays) {
  for (int code : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}) {
    const auto dtype = static_cast<Dtype>(code);
    absl::StatusOr<Dtype> parsed = ParseDtype(DtypeName(dtype));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*parsed, dtype);
    EXPECT_GT(ElementSize(dtype), 0);
  }
  EXPECT_EQ(ElementSize(D::noise80), 32);
  EXPECT_EQ(ElementSize(D::unsupported), 0);
}

TEST(DtypeTest, UnknownAndInternalNamesAreRefused) {
  for (const char* name : {"noise64", "unsupported", "float", ""}) {
    const absl::Status status = ParseDtype(name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()), HasSubstr("bfloat16"));
  }
}

TEST(DtypeTest, Sets) {
  EXPECT_THAT(MembersOf(v1::DtypeSet::floating),
              ElementsAre(D::float16, D::bfloat16, D::float32, D::float64));
  EXPECT_EQ(MembersOf(v1::DtypeSet::all).size(), 10U);
  EXPECT_EQ(MembersOf(v1::DtypeSet::numeric).size(), 9U);
  EXPECT_TRUE(MembersOf(v1::DtypeSet::none).empty());
}

TEST(DtypeTest, PromotionIsPyTorchs) {
  struct {
    Dtype a, b, result;
  } const cases[] = {
      {D::bool_, D::uint8, D::uint8},         {D::uint8, D::int8, D::int16},
      {D::int32, D::uint8, D::int32},         {D::int64, D::float16, D::float16},
      {D::float16, D::bfloat16, D::float32},  {D::float16, D::float32, D::float32},
      {D::bfloat16, D::float64, D::float64},  {D::complex64, D::float64, D::complex128},
      {D::complex64, D::int64, D::complex64}, {D::bool_, D::bool_, D::bool_},
      {D::uint16, D::int16, D::int32},        {D::uint32, D::uint8, D::uint32},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Promote(c.a, c.b), c.result) << DtypeName(c.a) << ' ' << DtypeName(c.b);
    EXPECT_EQ(Promote(c.b, c.a), c.result) << DtypeName(c.b) << ' ' << DtypeName(c.a);
  }
}

TEST(TensorTest, StoringWrapsRoundsAndReadsBack) {
  struct {
    Dtype dtype;
    double stored, read;
  } const cases[] = {
      {D::int8, 130, -126},   {D::uint8, -1, 255},  {D::int8, -3.9, -3},      {D::int32, 0x1p31, -0x1p31},
      {D::int64, 0x1p63, 0},  {D::bool_, 0.5, 1},   {D::bool_, -0.0, 0},      {D::float32, 0.1, 0.1F},
      {D::float64, 0.1, 0.1}, {D::complex64, 2, 2}, {D::complex32, 1.5, 1.5}, {D::noise64, 0.1, 0.1},
      {D::uint16, 65537, 1},  {D::uint64, 7, 7},
  };
  for (const auto& c : cases) {
    std::string data(3 * static_cast<size_t>(ElementSize(c.dtype)) + 1, 'x');
    StoreDouble(c.dtype, data.data() + 1, 1, c.stored);  // unaligned on purpose
    EXPECT_EQ(ElementAsDouble(c.dtype, data.data() + 1, 1), c.read) << DtypeName(c.dtype);
    EXPECT_EQ(data.front(), 'x');
    EXPECT_EQ(data.back(), 'x');
  }
  double value = 0;
  StoreDouble(D::bool_, &value, 0, std::nan(""));
  EXPECT_EQ(ElementAsDouble(D::bool_, &value, 0), 1);
}

TEST(TensorTest, ShapeText) {
  EXPECT_EQ(ShapeText({}), "()");
  EXPECT_EQ(ShapeText({4}), "(4,)");
  EXPECT_EQ(ShapeText({2, 3}), "(2, 3)");
  EXPECT_EQ(NumElements({}), 1);
  EXPECT_EQ(NumElements({3, 0}), 0);
}

}  // namespace
}  // namespace diopi
