// Index functions of the NVIDIA reference where suite core has no case: indices out of bounds, and the order
// in which several sources of one element are combined.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

TEST(CudaIndex, OutOfBoundsReadsNaNAndWritesNothing) {
  TestContext context;
  TestTensor x(diopi_dtype_float32, {3}, {1, 2, 3}), index(diopi_dtype_int64, {4}, {2, 3, -4, -3});
  TestTensor picked(diopi_dtype_float32, {4});
  ASSERT_EQ(diopiGather(&context, picked, x, 0, index), diopiSuccess);
  EXPECT_THAT(picked.values(), ElementsAre(3, IsNan(), IsNan(), 1));

  TestTensor ints(diopi_dtype_int32, {3}, {1, 2, 3}), selected(diopi_dtype_int32, {4});
  ASSERT_EQ(diopiIndexSelect(&context, selected, ints, 0, index), diopiSuccess);
  EXPECT_THAT(selected.values(), ElementsAre(3, 0, 0, 1));

  TestTensor out(diopi_dtype_float32, {3}), src(diopi_dtype_float32, {4}, {10, 20, 30, 40});
  ASSERT_EQ(diopiScatter(&context, out, x, 0, src, index, "add"), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(41, 2, 13));

  const diopiConstTensorHandle_t at = index;
  diopiConstTensorHandle_t list[] = {at};
  ASSERT_EQ(diopiIndexPut(&context, out, x, src, list, 1, false), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(40, 2, 10));

  TestTensor table(diopi_dtype_float32, {3, 1}, {1, 2, 3}), rows(diopi_dtype_float32, {4, 1});
  ASSERT_EQ(diopiEmbedding(&context, rows, table, index, -1, false, false), diopiSuccess);
  EXPECT_THAT(rows.values(), ElementsAre(3, IsNan(), IsNan(), IsNan()));  // no counting from the end
}

TEST(CudaIndex, OfSeveralSourcesTheLastWins) {
  TestContext context;
  constexpr int64_t kCount = 5000;
  std::vector<double> places(kCount), numbers(kCount), expected(7, -1);
  for (size_t i = 0; i < kCount; ++i) {
    places[i] = static_cast<double>(i * i % 7);
    numbers[i] = static_cast<double>(i);
    expected[i * i % 7] = numbers[i];
  }
  TestTensor x(diopi_dtype_int32, {7}, {-1}), src(diopi_dtype_int32, {kCount}, numbers),
      index(diopi_dtype_int64, {kCount}, places);
  ASSERT_EQ(diopiScatterInp(&context, x, 0, src, index, ""), diopiSuccess);
  EXPECT_EQ(x.values(), expected);
}

TEST(CudaIndex, SourcesAreAddedInTheirOrder) {
  TestContext context;
  // In float32 any other order loses the ones, or does not.
  TestTensor x(diopi_dtype_float32, {1}), index(diopi_dtype_int64, {4}),
      src(diopi_dtype_float32, {4}, {16777216, 1, -16777216, 1});
  ASSERT_EQ(diopiScatterInp(&context, x, 0, src, index, "add"), diopiSuccess);
  EXPECT_THAT(x.values(), ElementsAre(1));
}

TEST(CudaIndex, AMaskThatChoosesNothing) {
  TestContext context;
  TestTensor x(diopi_dtype_float32, {3}, {1, 2, 3}), out(diopi_dtype_float32, {3}),
      values(diopi_dtype_float32, {1}, {9}), mask(diopi_dtype_bool, {3});
  const diopiConstTensorHandle_t at = mask;
  diopiConstTensorHandle_t list[] = {at};
  ASSERT_EQ(diopiIndexPut(&context, out, x, values, list, 1, true), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(1, 2, 3));
}

}  // namespace
}  // namespace diopi::ops::cuda
