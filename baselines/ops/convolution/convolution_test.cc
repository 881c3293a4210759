#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

diopiError_t Convolve(TestTensor& out, const TestTensor& x, const TestTensor& w, const Shape& stride,
                      const Shape& padding, const Shape& dilation, int64_t groups) {
  return diopiConvolution2d(nullptr, out, x, w, nullptr, View(stride), View(padding), View(dilation), groups);
}

TEST(Conv2d, AxesAreTheirOwn) {
  TestTensor x(kFloat, {1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), w(kFloat, {1, 1, 1, 2}, {1, 10});
  TestTensor out(kFloat, {1, 1, 4, 1});
  ASSERT_EQ(Convolve(out, x, w, {1, 2}, {1, 0}, {1, 1}, 1), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(0, 21, 54, 0));
}

// Zero times NaN is NaN: only where the padding is multiplied would it come out.
TEST(Conv2d, PaddingIsNoTermOfASum) {
  TestTensor x(kFloat, {1, 1, 1, 2}, {1, 2}), w(kFloat, {1, 1, 1, 3}, {NAN, 1, 1}), out(kFloat, {1, 1, 1, 2});
  ASSERT_EQ(Convolve(out, x, w, {1}, {0, 1}, {1}, 1), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_EQ(out.values()[0], 3);
  EXPECT_TRUE(std::isnan(out.values()[1]));
  TestTensor grad(kFloat, {1, 1, 1, 2}, {INFINITY, 1}), dw(kFloat, {1, 1, 1, 3});
  const Shape one = {1}, padding = {0, 1};
  ASSERT_EQ(diopiConvolution2dBackward(nullptr, nullptr, dw, nullptr, grad, x, w, nullptr, View(one),
                                       View(padding), View(one), 1),
            diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_EQ(dw.values()[0], 1);  // the first window has no pixel under the first tap
  EXPECT_TRUE(std::isinf(dw.values()[1]));
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
      {{1}, {0}, {1}, 0, "6 filters cannot form 0 equal groups"},
      {{1}, {0}, {1}, 4, "6 filters cannot form 4 equal groups"},
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

diopiError_t Transpose(TestTensor& out, const TestTensor& x, const TestTensor& w,
                       diopiConstTensorHandle_t bias, const Shape& stride, const Shape& padding,
                       const Shape& output_padding, const Shape& dilation, int64_t groups) {
  return diopiConvTranspose2d(nullptr, out, x, w, bias, View(stride), View(padding), View(output_padding),
                              groups, View(dilation));
}

TEST(ConvTranspose2d, WhatNoInputReachesIsTheBias) {
  TestTensor x(kFloat, {1, 1, 1, 2}, {1, 2}), w(kFloat, {1, 1, 1, 2}, {10, 100}), bias(kFloat, {1}, {0.5});
  TestTensor out(kFloat, {1, 1, 2, 6});
  ASSERT_EQ(Transpose(out, x, w, bias, {2, 3}, {0}, {1}, {1}, 1), diopiSuccess) << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(10.5, 100.5, 0.5, 20.5, 200.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5));
}

TEST(ConvTranspose2d, GroupsAndPaddingAreTheirOwn) {
  TestTensor x(kFloat, {1, 2, 1, 2}, {1, 2, 3, 4}), w(kFloat, {2, 2, 1, 2}, {1, 10, 2, 20, 3, 30, 4, 40});
  TestTensor out(kFloat, {1, 4, 1, 1});
  ASSERT_EQ(Transpose(out, x, w, nullptr, {1}, {0, 1}, {0}, {1}, 2), diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(12, 24, 102, 136));
}

TEST(ConvTranspose2d, NoImagesNeedNoMemory) {
  TestTensor x(kFloat, {0, 1, 30'000, 30'000}), w(kFloat, {1, 1000, 1, 1}),
      out(kFloat, {0, 1000, 30'000, 30'000});
  EXPECT_EQ(Transpose(out, x, w, nullptr, {1}, {0}, {0}, {1}, 1), diopiSuccess) << diopiGetLastErrorString();
}

TEST(ConvTranspose2d, GradientsAreTheAdjoint) {
  // <out, g> is linear in x, in w and in the bias: each gradient gives it back.
  TestTensor x(kFloat, {2, 2, 2, 1}, {1, -2, 3, 4, 5, -6, 7, 8});
  TestTensor w(kFloat, {2, 1, 2, 3}, {1, 2, 3, 4, 5, 6, -1, -2, -3, 7, 8, 9}), out(kFloat, {2, 2, 4, 3});
  TestTensor grad(kFloat, {2, 2, 4, 3}), dx(kFloat, {2, 2, 2, 1}), dw(kFloat, {2, 1, 2, 3}), db(kFloat, {2});
  std::vector<float> numbers(48);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i % 7) - 3;
  Store(grad.view(), numbers);
  ASSERT_EQ(Transpose(out, x, w, nullptr, {3, 2}, {1, 0}, {1, 0}, {1}, 2), diopiSuccess)
      << diopiGetLastErrorString();
  const Shape stride = {3, 2}, padding = {1, 0}, extra = {1, 0}, one = {1};
  ASSERT_EQ(diopiConvTranspose2dBackward(nullptr, dx, dw, db, grad, x, w, nullptr, View(stride),
                                         View(padding), View(one), View(extra), 2),
            diopiSuccess)
      << diopiGetLastErrorString();
  const auto dot = [](const TestTensor& a, const TestTensor& b) {
    const std::vector<double> u = a.values(), v = b.values();
    double sum = 0;
    for (size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
    return sum;
  };
  EXPECT_NE(dot(out, grad), 0);
  EXPECT_EQ(dot(dx, x), dot(out, grad));
  EXPECT_EQ(dot(dw, w), dot(out, grad));
  EXPECT_EQ(db.values()[0] + db.values()[1],
            dot(grad, TestTensor(kFloat, {2, 2, 4, 3}, std::vector<double>(48, 1))));
}

TEST(ConvTranspose2d, ErrorsAreTold) {
  TestTensor x(kFloat, {1, 4, 2, 2}), w(kFloat, {4, 3, 1, 2}), out(kFloat, {1, 6, 1, 1});
  const struct {
    Shape stride, padding, output_padding, dilation;
    int64_t groups;
    const char* text;
  } kCases[] = {
      {{2}, {0}, {0}, {1}, 3, "4 channels cannot form 3 equal groups"},
      {{2, 1}, {0}, {1}, {1}, 2, "output_padding must be smaller than stride or dilation (1), got 1"},
      {{1}, {1, 2}, {0}, {1}, 2, "the output would have a side of 0"},
      {{2}, {0}, {0}, {1}, 2, "expected out of shape (1, 6, 3, 4), got (1, 6, 1, 1)"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Transpose(out, x, w, nullptr, c.stride, c.padding, c.output_padding, c.dilation, c.groups),
              diopiErrorOccurred);
    EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(c.text));
  }
  TestTensor other(kFloat, {1, 2, 2, 2});
  EXPECT_EQ(Transpose(out, other, w, nullptr, {2}, {0}, {0}, {1}, 1), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("expected input to have 4 channels, got 2"));
}

}  // namespace
}  // namespace diopi::ops
