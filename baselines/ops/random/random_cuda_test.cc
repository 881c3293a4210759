// Random functions of the NVIDIA reference where a distribution would not show a fault: which block of the
// stream a call takes, and the ends of its intervals.
#include "baselines/ops/random/random_cuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops::cuda {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(CudaRandom, CountsAsCurand) {
  // curand_init(seed, subsequence, offset): the offset counts words from the counter's low half, the
  // subsequence is its high half.
  const Stream stream{0x299f31d0a4093822, 0x85a308d3243f6a88};
  EXPECT_THAT(stream.Draw(0x0370734413198a2e).word,
              ElementsAre(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1));
}

TEST(CudaRandom, TakesABlockAndLeavesTheGeneratorBehindIt) {
  struct Row {
    uint64_t offset, block, after;
  };
  for (const Row& row : {Row{0, 0, 4},
                         {4, 1, 8},
                         {1, 1, 8},
                         {7, 2, 12},
                         {uint64_t{1} << 40, uint64_t{1} << 38, (uint64_t{1} << 40) + 4}}) {
    diopiGenerator generator{9, row.offset};
    const Stream stream = TakeBlock(&generator);
    EXPECT_EQ(stream.seed, 9u);
    EXPECT_EQ(stream.block, row.block) << row.offset;
    EXPECT_EQ(generator.offset, row.after) << row.offset;
    EXPECT_EQ(generator.seed, 9u);
  }
}

TEST(CudaRandom, TheSameStateGivesTheSameNumbersAndTheNextCallOthers) {
  TestContext context;
  diopiGenerator first{5, 8}, second{5, 8};
  TestTensor a(diopi_dtype_float32, {103}), b(diopi_dtype_float32, {103}), c(diopi_dtype_float32, {103});
  ASSERT_EQ(diopiNormal(&context, a, 0, 1, &first), diopiSuccess);
  ASSERT_EQ(diopiNormal(&context, b, 0, 1, &second), diopiSuccess);
  ASSERT_EQ(diopiNormal(&context, c, 0, 1, &second), diopiSuccess);
  EXPECT_EQ(a.values(), b.values());
  EXPECT_NE(b.values(), c.values());
}

TEST(CudaRandom, UniformStaysBelowItsEndWhateverItIsRoundedTo) {
  TestContext context;
  for (const diopiDtype_t dtype :
       {diopi_dtype_float16, diopi_dtype_bfloat16, diopi_dtype_float32, diopi_dtype_float64}) {
    // In [1024, 1026) bfloat16 has one number.
    TestTensor out(dtype, {4001});
    ASSERT_EQ(diopiUniformInp(&context, out, 1024, 1026, nullptr), diopiSuccess);
    EXPECT_THAT(out.values(), Each(::testing::AllOf(::testing::Ge(1024), ::testing::Lt(1026)))) << dtype;
  }
}

TEST(CudaRandom, DropoutsEnds) {
  TestContext context;
  TestTensor x(diopi_dtype_float32, {301}, {3}), mask(diopi_dtype_bool, {301}),
      out(diopi_dtype_float32, {301});
  ASSERT_EQ(diopiDropout(&context, out, mask, x, 0, true, nullptr), diopiSuccess);
  EXPECT_THAT(out.values(), Each(3));
  EXPECT_THAT(mask.values(), Each(1));
  ASSERT_EQ(diopiDropout(&context, out, mask, x, 1, true, nullptr), diopiSuccess);
  EXPECT_THAT(out.values(), Each(0));
  EXPECT_THAT(mask.values(), Each(0));
}

TEST(CudaRandom, ANegativeDeviationIsAnErrorOrNaN) {
  TestContext context;
  TestTensor out(diopi_dtype_float32, {2}), std(diopi_dtype_float32, {2}, {-1, 0});
  EXPECT_EQ(diopiNormal(&context, out, 0, -1, nullptr), diopiErrorOccurred);
  ASSERT_EQ(diopiNormalScalarTensor(&context, out, 7, std, nullptr), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(::testing::IsNan(), 7));
}

}  // namespace
}  // namespace diopi::ops::cuda
