#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr diopiDtype_t kFloat = diopi_dtype_float32;

diopiSize_t View(const Shape& sizes) {
  return {sizes.data(), static_cast<int64_t>(sizes.size())};
}

diopiError_t Convolve(TestTensor& out, const TestTensor& x, const TestTensor& w, Shape stride, Shape padding,
                      Shape dilation, int64_t groups) {
  return diopiConvolution2d(nullptr, out, x, w, nullptr, View(stride), View(padding), View(dilation), groups);
}

TEST(Conv2d, AxesAreTheirOwn) {
  TestTensor x(kFloat, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), w(kFloat, {1, 1, 1, 2}, {1, 10});
  TestTensor out(kFloat, {1, 1, 4, 1});
  ASSERT_EQ(Convolve(out, x, w, {1, 2}, {1, 0}, {1, 1}, 1), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(0, 21, 54, 0));
}

TEST(Conv2d, EmptyBatchGivesZeroGradients) {
  TestTensor x(kFloat, {0, 1, 2, 3}), w(kFloat, {2, 1, 1, 2}, {1}), grad(kFloat, {0, 2, 2, 2});
  TestTensor dx(kFloat, {0, 1, 2, 3}), dw(kFloat, {2, 1, 1, 2}, {7}), db(kFloat, {2}, {7});
  const Shape one = {1}, none = {0};
  ASSERT_EQ(diopiConvolution2dBackward(nullptr, dx, dw, db, grad, x, w, nullptr, View(one), View(none),
                                       View(one), 1),
            diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_THAT(dw.values(), Each(0));
  EXPECT_THAT(db.values(), Each(0));
}

TEST(Conv2d, ErrorsAreTold) {
  TestTensor x(kFloat, {1, 4, 3, 3}), w(kFloat, {6, 2, 3, 3}), out(kFloat, {1, 6, 1, 1});
  const struct {
    Shape stride, padding, dilation;
    int64_t groups;
    const char* text;
  } kCases[] = {
      {{1},
       {0},
       {1},
       1,
       "given groups=1, weight of shape (6, 2, 3, 3), expected input to have 2 channels, got 4"},
      {{1}, {0}, {1}, 0, "6 filters do not make 0 groups"},
      {{1}, {0}, {1}, 4, "6 filters do not make 4 groups"},
      {{0, 1}, {0}, {1}, 2, "stride must be at least 1, got (0, 1)"},
      {{1}, {-1}, {1}, 2, "padding must be at least 0"},
      {{1}, {0}, {1, 1, 1}, 2, "expected dilation of 1 or 2 values, got 3"},
      {{1}, {0}, {2}, 2, "the kernel (5) can't be greater than the padded input (3)"},
      {{1}, {1}, {1}, 2, "expected out of shape (1, 6, 3, 3), got (1, 6, 1, 1)"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Convolve(out, x, w, c.stride, c.padding, c.dilation, c.groups), diopiErrorOccurred);
    EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(c.text));
  }
}

}  // namespace
}  // namespace diopi::ops
