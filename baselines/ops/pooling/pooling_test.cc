#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(MaxPool2d, FirstOfEqualOnesNanAboveAllAndInfinityHasAnIndex) {
  TestTensor x(kFloat, {3, 1, 4}, {5, 5, 2, 5, 1, NAN, 9, 3, -kInf, -kInf, -kInf, -kInf});
  TestTensor out(kFloat, {3, 1, 1}), indices(diopi_dtype_int64, {3, 1, 1});
  const Shape kernel = {1, 3}, stride = {1, 2}, pad = {0}, dilation = {1};
  ASSERT_EQ(diopiMaxPool2dWithIndices(nullptr, out, indices, x, View(kernel), View(stride), View(pad),
                                      View(dilation), false),
            diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_EQ(out.values()[0], 5);
  EXPECT_TRUE(std::isnan(out.values()[1]));
  EXPECT_EQ(out.values()[2], -kInf);
  EXPECT_THAT(indices.ints(), ElementsAre(0, 1, 0));
}

TEST(MaxPool2d, AWindowInThePaddingIsRefused) {
  TestTensor x(kFloat, {1, 1, 2}), out(kFloat, {1, 1, 1}), indices(diopi_dtype_int64, {1, 1, 1});
  const Shape kernel = {1, 2}, stride = {1}, pad = {0, 1}, dilation = {1, 3};
  EXPECT_EQ(diopiMaxPool2dWithIndices(nullptr, out, indices, x, View(kernel), View(stride), View(pad),
                                      View(dilation), false),
            diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("window 0 lies in the padding of an input of size 2"));
}

// The mean of 1,000 equal elements: their roundings are not independent.
TEST(AvgPool2d, KnowsTheDriftOfEqualElements) {
  TestTensor x(kNoise64, {1, 1, 1000}, {0.1}), out(kNoise64, {1, 1, 1});
  const Shape size = {1, 1};
  ASSERT_EQ(diopiAdaptiveAvgPool2d(nullptr, out, x, View(size)), diopiSuccess) << diopiGetLastErrorString();
  float sum = 0;
  for (int i = 0; i < 1000; ++i) sum += 0.1F;
  EXPECT_LT(std::fabs(static_cast<double>(sum) / 1000 - 0.1), 8 * std::sqrt(out.noise()[0].s2));
}

TEST(MaxPool2d, AnIndexOutsideThePlaneIsRefused) {
  TestTensor dx(kFloat, {1, 2, 2}), grad(kFloat, {1, 1, 1}, {1}), x(kFloat, {1, 2, 2});
  TestTensor indices(diopi_dtype_int64, {1, 1, 1}, {4});
  const Shape kernel = {2}, pad = {0}, dilation = {1};
  EXPECT_EQ(diopiMaxPool2dBackward(nullptr, dx, grad, x, View(kernel), View(kernel), View(pad),
                                   View(dilation), false, indices),
            diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiMaxPool2dBackward: index 4 is outside a plane of 4 elements");
}

TEST(AvgPool2d, CountsWhatIsAskedFor) {
  TestTensor x(kFloat, {1, 1, 3}, {6, 6, 6}), out(kFloat, {1, 1, 3});
  const Shape kernel = {1, 2}, stride = {1, 2}, pad = {0, 1};
  const int64_t divisor = 4;
  const struct {
    bool include_pad;
    const int64_t* divisor;
    std::vector<double> expected;
  } kCases[] = {{true, nullptr, {3, 6}}, {false, nullptr, {6, 6}}, {false, &divisor, {1.5, 3}}};
  for (const auto& c : kCases) {
    TestTensor result(kFloat, {1, 1, 2});
    ASSERT_EQ(diopiAvgPool2d(nullptr, result, x, View(kernel), View(stride), View(pad), false, c.include_pad,
                             c.divisor),
              diopiSuccess)
        << diopiGetLastErrorString();
    EXPECT_EQ(result.values(), c.expected);
  }
}

TEST(AvgPool2d, ErrorsAreTold) {
  TestTensor x(kFloat, {1, 3, 3}), out(kFloat, {1, 3, 3});
  const int64_t zero = 0;
  const struct {
    Shape kernel, stride, pad;
    const int64_t* divisor;
    const char* text;
  } kCases[] = {
      {{2}, {1}, {2}, nullptr, "pad should be at most half of kernel size, but got pad=2 and kernel_size=2"},
      {{4}, {1}, {0}, nullptr, "a window is larger than the padded input of size 3"},
      {{2}, {0}, {0}, nullptr, "must be positive"},
      {{2}, {1}, {0}, &zero, "divisor must be not zero"},
      {{2}, {1}, {0}, nullptr, "expected out of shape (1, 2, 2), got (1, 3, 3)"},
      {{}, {1}, {0}, nullptr, "expected kernel_size of 1 or 2 values, got 0"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(
        diopiAvgPool2d(nullptr, out, x, View(c.kernel), View(c.stride), View(c.pad), false, true, c.divisor),
        diopiErrorOccurred);
    EXPECT_THAT(diopiGetLastErrorString(), HasSubstr(c.text));
  }
}

TEST(AdaptiveAvgPool2d, EmptyBatchAndErrors) {
  const Shape size = {2, 1}, one = {1};
  TestTensor none(kFloat, {0, 1, 3, 3}), out(kFloat, {0, 1, 2, 1});
  EXPECT_EQ(diopiAdaptiveAvgPool2d(nullptr, out, none, View(size)), diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_EQ(diopiAdaptiveAvgPool2d(nullptr, out, none, View(one)), diopiErrorOccurred);
  TestTensor no_area(kFloat, {1, 1, 0, 3}), full(kFloat, {1, 1, 2, 1});
  EXPECT_EQ(diopiAdaptiveAvgPool2d(nullptr, full, no_area, View(size)), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), HasSubstr("expected planes with elements"));
}

TEST(MaxPool3d, IndicesCountThroughTheVolume) {
  TestTensor x(kFloat, {1, 2, 2, 2}, {1, 2, 3, 4, 5, 9, 7, 8});
  TestTensor out(kFloat, {1, 1, 1, 1}), indices(diopi_dtype_int64, {1, 1, 1, 1});
  const Shape kernel = {2}, pad = {0}, dilation = {1};
  ASSERT_EQ(diopiMaxPool3dWithIndices(nullptr, out, indices, x, View(kernel), View(kernel), View(pad),
                                      View(dilation), false),
            diopiSuccess)
      << diopiGetLastErrorString();
  EXPECT_THAT(out.values(), ElementsAre(9));
  EXPECT_THAT(indices.ints(), ElementsAre(5));
}

TEST(Pool1d, ModeAndAdaptiveChoose) {
  TestTensor x(kFloat, {1, 4}, {1, 2, 3, 6});
  const Shape kernel = {2}, pad = {0}, dilation = {1}, size = {1};
  const struct {
    const char* mode;
    bool adaptive;
    std::vector<double> expected;
  } kCases[] = {{"max", false, {2, 6}}, {"avg", false, {1.5, 4.5}}, {"max", true, {6}}, {"avg", true, {3}}};
  for (const auto& c : kCases) {
    TestTensor out(kFloat, {1, c.adaptive ? 1 : 2});
    ASSERT_EQ(diopiPool1d(nullptr, out, x, c.mode, View(kernel), View(kernel), View(pad), View(dilation),
                          false, true, c.adaptive, View(size)),
              diopiSuccess)
        << diopiGetLastErrorString();
    EXPECT_EQ(out.values(), c.expected);
  }
  TestTensor out(kFloat, {1, 2});
  EXPECT_EQ(diopiPool1d(nullptr, out, x, "mean", View(kernel), View(kernel), View(pad), View(dilation), false,
                        true, false, View(size)),
            diopiErrorOccurred);
  EXPECT_STREQ(diopiGetLastErrorString(), "diopiPool1d: expected mode max or avg, got mean");
}

}  // namespace
}  // namespace diopi::ops
