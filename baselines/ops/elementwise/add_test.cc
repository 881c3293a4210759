#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::ElementsAre;

TEST(Add, BroadcastsAndScalesInEveryFloatingType) {
  for (diopiDtype_t dtype : {diopi_dtype_float16, diopi_dtype_bfloat16, diopi_dtype_float32,
                             diopi_dtype_float64, kNoise64, kNoise80}) {
    TestTensor out(dtype, {2, 3}), a(dtype, {2, 1}, {1, 2}), b(dtype, {3}, {10, 20, 30});
    const diopiScalar_t alpha = Scalar(0.5);
    ASSERT_EQ(diopiAdd(nullptr, out, a, b, &alpha), diopiSuccess) << diopiGetLastErrorString();
    EXPECT_THAT(out.values(), ElementsAre(6, 11, 16, 7, 12, 17)) << DtypeName(dtype);
  }
}

TEST(Add, IntegersWrap) {
  TestTensor a(diopi_dtype_int8, {2}, {127, -128}), b(diopi_dtype_int8, {2}, {1, 127});
  const diopiScalar_t alpha = IntScalar(3);
  ASSERT_EQ(diopiAddInp(nullptr, a, b, &alpha), diopiSuccess);
  EXPECT_THAT(a.ints(), ElementsAre(-126, -3));
}

TEST(Add, BoolIsOr) {
  TestTensor a(diopi_dtype_bool, {4}, {0, 0, 1, 1}), b(diopi_dtype_bool, {4}, {0, 1, 0, 1});
  const diopiScalar_t alpha = IntScalar(-1);
  ASSERT_EQ(diopiAddInp(nullptr, a, b, &alpha), diopiSuccess);
  EXPECT_THAT(a.ints(), ElementsAre(0, 1, 1, 1));
}

TEST(Add, ErrorsAreTold) {
  TestTensor out(diopi_dtype_float32, {2, 3}), a(diopi_dtype_float32, {2, 3}), b(diopi_dtype_float32, {2});
  const diopiScalar_t alpha = Scalar(0.5);
  EXPECT_EQ(diopiAdd(nullptr, out, a, b, &alpha), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiAdd: size of tensor a (3) must match b (2) at dimension 1");

  TestTensor i(diopi_dtype_int32, {2});
  EXPECT_EQ(diopiAddInp(nullptr, i, i, &alpha), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(),
               "diopiAddInp: for integral tensors, argument alpha must not be a floating point number");
  EXPECT_EQ(diopiAddInpScalar(nullptr, i, &alpha, &alpha), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(),
               "diopiAddInpScalar: result type float32 can't be cast to the desired output type int32");

  EXPECT_EQ(diopiAdd(nullptr, out, a, nullptr, &alpha), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiAdd: argument 'other' is null");
  EXPECT_EQ(diopiAddInp(nullptr, a, a, nullptr), diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiAddInp: argument 'alpha' is null");

  TestTensor c(diopi_dtype_complex64, {0});
  EXPECT_EQ(diopiAddInp(nullptr, c, c, &alpha), diopiDtypeNotSupported);
}

}  // namespace
}  // namespace diopi::ops
