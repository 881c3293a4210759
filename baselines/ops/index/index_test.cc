#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

// As many sources as indices do not suffice: each dimension must reach as far.
TEST(Scatter, RefusesAnIndexBeyondItsSource) {
  TestTensor input(kFloat, {3, 2}), out(kFloat, {3, 2}), index(diopi_dtype_int64, {1, 2}, {0, 2});
  const struct {
    Shape source;
    bool fits;
  } rows[] = {{{1, 2}, true}, {{2, 3}, true}, {{2, 1}, false}, {{4, 1}, false}};
  for (const auto& row : rows) {
    const TestTensor source(kFloat, row.source, {5, 6});
    const diopiError_t error = diopiScatter(nullptr, out, input, 0, source, index, "");
    EXPECT_EQ(error == diopiSuccess, row.fits) << ShapeText(row.source);
    if (row.fits) continue;
    EXPECT_THAT(diopiGetLastErrorString(), ::testing::HasSubstr("index shape exceeds src shape"));
  }
}

TEST(IndexSelect, RefusesAnIndexOfTwoDimensions) {
  const TestTensor input(kFloat, {5}), grad(kFloat, {4}), index(diopi_dtype_int64, {2, 2});
  TestTensor out(kFloat, {4}), grad_input(kFloat, {5});
  const Shape sizes = {5};
  const auto refused = ::testing::HasSubstr("index must be a vector, got shape (2, 2)");
  EXPECT_EQ(diopiIndexSelect(nullptr, out, input, 0, index), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), refused);
  EXPECT_EQ(diopiIndexSelectBackward(nullptr, grad_input, grad, View(sizes), 0, index), diopiErrorOccurred);
  EXPECT_THAT(diopiGetLastErrorString(), refused);
}

}  // namespace
}  // namespace diopi::ops
