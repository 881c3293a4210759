#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::HasSubstr;

// Windows of 5, every 7: (2, 5, 3, 5) has as many elements as (3, 2, 5, 5).
TEST(Unfold, RefusesAGradientOfAnotherShapeWithAsManyElements) {
  const Shape sizes = {3, 17, 5};
  TestTensor grad_input(kFloat, sizes), other(kFloat, {2, 5, 3, 5}), right(kFloat, {3, 2, 5, 5});
  EXPECT_EQ(diopiUnfoldBackward(nullptr, grad_input, right, View(sizes), 1, 5, 7), diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_EQ(diopiUnfoldBackward(nullptr, grad_input, other, View(sizes), 1, 5, 7), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("(3, 2, 5, 5)"));
}

}  // namespace
}  // namespace diopi::ops
