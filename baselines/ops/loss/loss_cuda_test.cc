// Losses of the NVIDIA reference where suite core has no case: targets out of bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsNan;

TEST(CudaLoss, ATargetOutOfBoundsMakesNaNInItsRowOnly) {
  TestContext context;
  TestTensor x(diopi_dtype_float32, {3, 2}, {1, 1, 1, 1, 5, 5}), target(diopi_dtype_int64, {3}, {2, -100, 0});
  TestTensor out(diopi_dtype_float32, {3}), grad(diopi_dtype_float32, {3, 2});
  TestTensor ones(diopi_dtype_float32, {3}, {1});
  ASSERT_EQ(diopiNLLLoss(&context, out, x, target, nullptr, ReductionNone, -100), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(IsNan(), 0, -5));
  ASSERT_EQ(diopiNLLLossBackward(&context, grad, ones, x, target, nullptr, ReductionNone, -100),
            diopiSuccess);
  EXPECT_THAT(grad.values(), ElementsAre(IsNan(), IsNan(), 0, 0, -1, 0));

  ASSERT_EQ(diopiCrossEntropyLoss(&context, out, x, target, nullptr, ReductionNone, -100, 0), diopiSuccess);
  EXPECT_THAT(out.values(), ElementsAre(IsNan(), 0, ::testing::DoubleNear(0.6931472, 1e-6)));
  ASSERT_EQ(diopiCrossEntropyLossBackward(&context, grad, ones, x, target, nullptr, ReductionNone, -100, 0),
            diopiSuccess);
  EXPECT_THAT(grad.values(), ElementsAre(IsNan(), IsNan(), 0, 0, -0.5, 0.5));
}

}  // namespace
}  // namespace diopi::ops::cuda
