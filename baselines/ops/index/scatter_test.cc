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

}  // namespace
}  // namespace diopi::ops
