#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

TEST(Matmul, VectorsAndBatches) {
  TestTensor dot(kFloat, {}), a(kFloat, {3}, {1, 2, 3}), b(kFloat, {3}, {4, 5, 6});
  ASSERT_EQ(diopiMatmul(nullptr, dot, a, b), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(dot.values(), ElementsAre(32));

  TestTensor out(kFloat, {2, 1}), stack(kFloat, {2, 1, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(diopiMatmul(nullptr, out, stack, b), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(32, 77));
}

TEST(Matmul, AnEmptySumIsZero) {
  TestTensor out(kFloat, {2, 3}, {7}), a(kFloat, {2, 0}), b(kFloat, {0, 3});
  ASSERT_EQ(diopiMatmul(nullptr, out, a, b), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), Each(0));
}

TEST(Matmul, BackwardSumsOverBroadcastBatches) {
  TestTensor grad(kFloat, {2, 1, 1}, {10, 100}), a(kFloat, {2, 1, 1}, {2, 3}), b(kFloat, {1, 1}, {5});
  TestTensor da(kFloat, {2, 1, 1}), db(kFloat, {1, 1});
  ASSERT_EQ(diopiMatmulBackward(nullptr, da, db, grad, a, b), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(da.values(), ElementsAre(50, 500));
  EXPECT_THAT(db.values(), ElementsAre(320));
  EXPECT_EQ(diopiMatmulBackward(nullptr, nullptr, db, grad, a, b), diopiSuccess);
}

TEST(Matmul, ErrorsAreTold) {
  TestTensor out(kFloat, {2, 2}), a(kFloat, {2, 3}), b(kFloat, {2, 2}), scalar(kFloat, {});
  EXPECT_EQ(diopiMatmul(nullptr, out, a, b), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(),
               "diopiMatmul: shapes (2, 3) and (2, 2) cannot be multiplied: 3 columns but 2 rows");
  EXPECT_EQ(diopiMatmul(nullptr, out, scalar, b), diopiErrorOccurred);
  EXPECT_EQ(diopiMatmul(nullptr, scalar, b, b), diopiErrorOccurred);
  EXPECT_EQ(diopiMatmul(nullptr, out, nullptr, b), diopiErrorOccurred);
}

TEST(Bmm, DoesNotBroadcast) {
  TestTensor out(kFloat, {2, 1, 1}), a(kFloat, {2, 1, 1}), b(kFloat, {1, 1, 1}), m(kFloat, {1, 1});
  EXPECT_EQ(diopiBmm(nullptr, out, a, b), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiBmm: the batches differ: (2, 1, 1) and (1, 1, 1)");
  EXPECT_EQ(diopiBmm(nullptr, out, a, m), diopiErrorOccurred);
  EXPECT_EQ(diopiMm(nullptr, m, a, m), diopiErrorOccurred);
  TestTensor i(diopi_dtype_int32, {1, 1});
  EXPECT_EQ(diopiMm(nullptr, i, i, i), diopiDtypeNotSupported);
}

TEST(Linear, NoRowsGiveZeroGradients) {
  TestTensor x(kFloat, {0, 3}), w(kFloat, {2, 3}), grad(kFloat, {0, 2});
  TestTensor dx(kFloat, {0, 3}), dw(kFloat, {2, 3}, {7}), db(kFloat, {2}, {7});
  ASSERT_EQ(diopiLinearBackward(nullptr, dx, dw, db, grad, x, w), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(dw.values(), Each(0));
  EXPECT_THAT(db.values(), Each(0));
}

TEST(Linear, ABiasOfTwoDimensionsIsBroadcast) {
  TestTensor out(kFloat, {2, 2}), x(kFloat, {2, 1}, {1, 2}), w(kFloat, {2, 1}, {3, 5}),
      b(kFloat, {2, 1}, {10, 20});
  ASSERT_EQ(diopiLinear(nullptr, out, x, w, b), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(13, 15, 26, 30));
  TestTensor none(kFloat, {2, 0}), empty(kFloat, {0, 1});
  EXPECT_EQ(diopiLinear(nullptr, none, x, empty, none), diopiSuccess) << diopiGetLastErrorString();
  TestTensor tall(kFloat, {3, 2});
  EXPECT_EQ(diopiLinear(nullptr, out, x, w, tall), diopiErrorOccurred);
}

TEST(Linear, ErrorsAreTold) {
  TestTensor out(kFloat, {4, 2}), x(kFloat, {4, 3}), w(kFloat, {2, 5}), fits(kFloat, {2, 3}), b(kFloat, {3});
  EXPECT_EQ(diopiLinear(nullptr, out, x, w, nullptr), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(),
               "diopiLinear: input of shape (4, 3) does not fit weight of shape (2, 5)");
  EXPECT_EQ(diopiLinear(nullptr, out, x, fits, b), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiLinear: expected bias of shape (2,), got (3,)");
}

}  // namespace
}  // namespace diopi::ops
