#include "baselines/ops/support/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "baselines/ops/support/gemm.h"
#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::ElementsAre;

TEST(Tensor, SizesFromTheFrontAndTheEnd) {
  TestTensor matrix(kFloat, {2, 3}), number(kFloat, {});
  EXPECT_EQ(matrix.view().size(0), 2);
  EXPECT_EQ(matrix.view().size(-1), 3);
  EXPECT_THROW(static_cast<void>(matrix.view().size(2)), Failure);
  EXPECT_THROW(static_cast<void>(number.view().size(0)), Failure);
}

TEST(SmallFormats, RoundToNearestEven) {
  struct Row {
    double x;
    uint16_t half, brain;
  } rows[] = {
      {1.0, 0x3c00, 0x3f80},
      {-0.0, 0x8000, 0x8000},
      {65519.0, 0x7bff, 0x4780},
      {65520.0, 0x7c00, 0x4780},
      {0x1p-24, 0x0001, 0x3380},
      {0x1p-25, 0x0000, 0x3300},
      {0x1.8p-24, 0x0002, 0x33c0},
      {0x1.002p0, 0x3c00, 0x3f80},
      {0x1.006p0, 0x3c02, 0x3f80},
      {0x1.01p0, 0x3c04, 0x3f80},
      {0x1.03p0, 0x3c0c, 0x3f82},
      {kInf, 0x7c00, 0x7f80},
      {-1e300, 0xfc00, 0xff80},
      {0x1.ffffp-15, 0x0400, 0x3880},
      {0x1.0020000001p0, 0x3c01, 0x3f80},  // through float32 it would be a tie
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ToFloat16(row.x), row.half) << row.x;
    EXPECT_EQ(ToBfloat16(row.x), row.brain) << row.x;
  }
}

TEST(SmallFormats, EveryValueSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const uint16_t b = static_cast<uint16_t>(bits);
    const float half = FromFloat16(b), brain = FromBfloat16(b);
    if (!std::isnan(half)) {
      EXPECT_EQ(ToFloat16(static_cast<double>(half)), b);
    }
    if (!std::isnan(brain)) {
      EXPECT_EQ(ToBfloat16(static_cast<double>(brain)), b);
    }
    EXPECT_EQ(std::isnan(half), (b & 0x7fff) > 0x7c00);
  }
}

TEST(Tensor, StridedStoreAndLoadLeaveTheGapsAlone) {
  TestTensor t(diopi_dtype_int32, {2, 3}, {1, 4}, 2,
               {1, 2, 3, 4, 5, 6});  // transposed, gaps, offset, misaligned
  EXPECT_THAT(t.ints(), ElementsAre(1, 2, 3, 4, 5, 6));
  // Storage: 1 odd byte, offset 2, last element at 2 + 1 + 8 = 11, so 12 elements of which 6 are used.
  EXPECT_EQ(t.gap_bytes_intact(), 6 * 4);
  EXPECT_THAT(Load<float>(t.view()), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(Tensor, BroadcastsByStride) {
  TestTensor t(diopi_dtype_float16, {2, 1}, {1, 2});
  EXPECT_THAT(LoadAs<float>(t.view(), {2, 2, 3}), ElementsAre(1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2));
  TestTensor item(diopi_dtype_bool, {}, {1});
  EXPECT_THAT(LoadAs<int64_t>(item.view(), {2}), ElementsAre(1, 1));
  TestTensor empty(diopi_dtype_float32, {0, 3});
  EXPECT_TRUE(Load<double>(empty.view()).empty());
  EXPECT_THROW(LoadAs<float>(t.view(), {2, 3, 4}), Failure);
}

TEST(Tensor, IntegersWrapAndTruncate) {
  TestTensor bytes(diopi_dtype_uint8, {3});
  Store<int64_t>(bytes.view(), {-1, 256, 255});
  EXPECT_THAT(bytes.ints(), ElementsAre(255, 0, 255));
  Store<float>(bytes.view(), {1.9F, -1.5F, 300.0F});
  EXPECT_THAT(bytes.ints(), ElementsAre(1, 255, 44));
  TestTensor flags(diopi_dtype_bool, {3});
  Store<double>(flags.view(), {0.0, -0.0, std::nan("")});
  EXPECT_THAT(flags.ints(), ElementsAre(0, 0, 1));
}

TEST(Tensor, NoiseKeepsItsVariance) {
  for (diopiDtype_t dtype : {kNoise64, kNoise80}) {
    TestTensor t(dtype, {2});
    Store<Noise<double>>(t.view(), {{1.5, 0.25}, {2.0, 0.5}});
    EXPECT_EQ(t.noise()[1].s2, 0.5);
    EXPECT_EQ(Load<Noise<long double>>(t.view())[0].v, 1.5L);
  }
}

TEST(Types, PromoteAsPyTorchDoes) {
  TestTensor f16(diopi_dtype_float16, {2}), f64_item(diopi_dtype_float64, {}), i32(diopi_dtype_int32, {2}),
      u8(diopi_dtype_uint8, {2}), i8(diopi_dtype_int8, {2}), i64_item(diopi_dtype_int64, {}),
      b(diopi_dtype_bool, {2}), bf(diopi_dtype_bfloat16, {2}), noise(kNoise64, {2});
  const diopiScalar_t f = Scalar(0.5), i = IntScalar(2);
  const Tensor none;
  EXPECT_EQ(ResultType(none, {f16.view(), f64_item.view()}), diopi_dtype_float16);
  EXPECT_EQ(ResultType(none, {i32.view(), f64_item.view()}), diopi_dtype_float64);
  EXPECT_EQ(ResultType(none, {u8.view(), i8.view()}), diopi_dtype_int16);
  EXPECT_EQ(ResultType(none, {u8.view(), i64_item.view()}), diopi_dtype_uint8);
  EXPECT_EQ(ResultType(none, {b.view()}, {&i}), diopi_dtype_int64);
  EXPECT_EQ(ResultType(none, {i32.view()}, {&f}), diopi_dtype_float32);
  EXPECT_EQ(ResultType(none, {f16.view()}, {&f}), diopi_dtype_float16);
  EXPECT_EQ(ResultType(none, {f16.view(), bf.view()}), diopi_dtype_float32);
  EXPECT_EQ(ResultType(noise.view(), {i32.view()}, {&f}), kNoise64);
  EXPECT_EQ(ResultType(noise.view(), {i32.view()}), diopi_dtype_int32);
  EXPECT_EQ(FloatResultType(noise.view(), {i32.view()}), kNoise64);
  EXPECT_EQ(FloatResultType(none, {i32.view()}), diopi_dtype_float32);
}

TEST(Rows, FollowTheOutputsOrder) {
  const Rows rows = RowsOver({2, 3, 2}, {-2});
  EXPECT_THAT(rows.base, ElementsAre(0, 1, 6, 7));
  EXPECT_THAT(rows.offset, ElementsAre(0, 2, 4));
  EXPECT_THAT(rows.kept, ElementsAre(2, 2));
  EXPECT_THAT(rows.keepdim, ElementsAre(2, 1, 2));
  EXPECT_EQ(RowsOver({}, {0}).count(), 1);
  EXPECT_EQ(RowsOver({0, 3}, {0}).length(), 0);
  EXPECT_EQ(RowsOver({0, 3}, {0}).count(), 3);
  EXPECT_THROW(RowsOver({2, 3}, {1, -1}), Failure);
}

template <typename C>
class GemmTest : public ::testing::Test {};
using ComputeTypes = ::testing::Types<float, double, Noise<double>, Noise<long double>, int64_t>;
TYPED_TEST_SUITE(GemmTest, ComputeTypes);

TYPED_TEST(GemmTest, EveryTransposition) {
  using C = TypeParam;
  const C a[] = {1, 2, 3, 4, 5, 6}, at[] = {1, 4, 2, 5, 3, 6};  // 2x3
  const C b[] = {1, 0, 2, 1, 0, 3}, bt[] = {1, 2, 0, 0, 1, 3};  // 3x2
  for (int mode = 0; mode < 4; ++mode) {
    C c[] = {7, 7, 7, 7};
    const bool ta = (mode & 1) != 0, tb = (mode & 2) != 0;
    const Trans x = ta ? Trans::kYes : Trans::kNo, y = tb ? Trans::kYes : Trans::kNo;
    Gemm<C>(x, y, 2, 2, 3, ta ? at : a, tb ? bt : b, c);
    const double expected[] = {5, 11, 14, 23};
    for (int i = 0; i < 4; ++i) EXPECT_EQ(ToDouble(c[i]), expected[i]);
    Gemm<C>(x, y, 2, 2, 3, ta ? at : a, tb ? bt : b, c, true);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(ToDouble(c[i]), 2 * expected[i]);
  }
}

}  // namespace
}  // namespace diopi::ops
