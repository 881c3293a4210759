#include <gtest/gtest.h>

#include <string>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

// A dimension out of range is an error, also where there is nothing to compute.
TEST(Softmax, RefusesADimensionThatDoesNotExist) {
  for (const Shape& shape : {Shape{1, 0}, Shape{2, 3}}) {
    TestTensor x(diopi_dtype_float32, shape), y(diopi_dtype_float32, shape);
    EXPECT_EQ(diopiLogSoftmax(nullptr, y, x, 1), diopiSuccess) << diopiGetLastErrorString();
    for (const auto forward : {diopiSoftmax, diopiLogSoftmax}) {
      EXPECT_EQ(forward(nullptr, y, x, 2), diopiErrorOccurred) << ShapeText(shape);
      EXPECT_NE(std::string(diopiGetLastErrorString()).find("dimension 2 is out of range [-2, 1]"),
                std::string::npos)
          << diopiGetLastErrorString();
    }
    for (const auto backward : {diopiSoftmaxBackward, diopiLogSoftmaxBackward})
      EXPECT_EQ(backward(nullptr, y, x, x, 2), diopiErrorOccurred) << ShapeText(shape);
  }
}

}  // namespace
}  // namespace diopi::ops
