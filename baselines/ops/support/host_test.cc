#include "baselines/ops/support/host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops::host {
namespace {

constexpr int64_t kRows = 65;
constexpr int64_t kColumns = 130;
static_assert(kRows * kColumns > 2 * kMapAtOnce && kRows * kColumns % kMapAtOnce != 0);

std::vector<double> Counting(int64_t n) {
  std::vector<double> values(static_cast<size_t>(n));
  std::iota(values.begin(), values.end(), 0);
  return values;
}

TEST(HostMap, PiecesAreThoseOfTheWhole) {
  const Shape shape = {kRows, kColumns};
  TestTensor column(diopi_dtype_int32, {kRows, 1}, Counting(kRows));
  TestTensor transposed(diopi_dtype_float16, shape, {1, kRows}, 3, Counting(kRows * kColumns));
  TestTensor out(kFloat, shape, {2 * kColumns, 2}, 1);
  Map(
      Queue(), kRows * kColumns, Out<float>(out.view()),
      [](float x, float y, float z) { return 2 * x + y - z; }, In<float>(column.view(), shape),
      In<float>(transposed.view()), In<float>::Constant(0.5F));
  const std::vector<double> read = transposed.values();
  const std::vector<double> written = out.values();
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    const auto at = static_cast<size_t>(i);
    ASSERT_EQ(written[at], 2.0 * static_cast<double>(i / kColumns) + read[at] - 0.5) << i;
  }
  EXPECT_GE(out.gap_bytes_intact(), 4 * (kRows * kColumns - 1));
}

TEST(HostMap, InPlace) {
  TestTensor t(kFloat, {kRows, kColumns}, Counting(kRows * kColumns));
  Map(
      Queue(), kRows * kColumns, Out<float>(t.view()), [](float x) { return x + 1; }, In<float>(t.view()));
  std::vector<double> expected = Counting(kRows * kColumns);
  for (double& x : expected) ++x;
  EXPECT_EQ(t.values(), expected);
}

// Its input shares memory with the output, but is another view of it.
TEST(HostMap, OverlappingTensorsAreReadBeforeAnythingIsWritten) {
  constexpr int64_t kSide = 91;
  TestTensor t(kFloat, {kSide, kSide}, Counting(kSide * kSide));
  const Tensor matrix = t.view();
  diopiTensorHandle_t handle = t;
  std::swap(handle->strides[0], handle->strides[1]);
  const Tensor transposed = t.view();
  const std::vector<double> expected = t.values();
  EXPECT_TRUE(Overlap(matrix, transposed));
  EXPECT_FALSE(Overlap(matrix, matrix));
  Map(
      Queue(), kSide * kSide, Out<float>(matrix), [](float x) { return x; }, In<float>(transposed));
  std::swap(handle->strides[0], handle->strides[1]);
  EXPECT_EQ(t.values(), expected);
}

struct HalfButTheLast {
  static constexpr bool kMayFail = true;
  int64_t operator()(int64_t x) const { return x == kRows * kColumns - 1 ? IntegerDividedByZero() : x / 2; }
};

TEST(HostMap, FailingIntegersLeaveTheOutputUnchanged) {
  const std::vector<double> before = Counting(kRows * kColumns);
  TestTensor t(diopi_dtype_int32, {kRows, kColumns}, before);
  EXPECT_THROW(
      Map(Queue(), kRows * kColumns, Out<int64_t>(t.view()), HalfButTheLast(), In<int64_t>(t.view())),
      Failure);
  EXPECT_EQ(t.values(), before);
}

TEST(HostIn, RefusesWhatCannotBeReadBeforeItIs) {
  TestTensor complex(diopi_dtype_complex64, {0}), pair(kFloat, {2});
  EXPECT_THROW(In<float>(complex.view()), Failure);
  EXPECT_THROW(In<float>(Tensor{}), Failure);
  EXPECT_THROW(In<float>(pair.view(), {3}), Failure);
}

}  // namespace
}  // namespace diopi::ops::host
