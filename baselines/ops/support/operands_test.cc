#include "baselines/ops/support/operands.h"

#include <gtest/gtest.h>

#include <cmath>

namespace diopi::ops {
namespace {

TEST(Operands, RoundSubnormalNumbersByHalfAStep) {
  const struct {
    diopiDtype_t dtype;
    double value, error;
  } rows[] = {
      {diopi_dtype_float16, 1, 0x1p-11}, {diopi_dtype_float16, 0x1p-20, 0x1p-25},
      {diopi_dtype_bfloat16, 1, 0x1p-8}, {diopi_dtype_bfloat16, 0x1p-130, 0x1p-134},
      {diopi_dtype_float16, 0, 0},       {diopi_dtype_float32, 1, 0},
  };
  for (const auto& row : rows) {
    const Noise<double> rounded = Operands(row.dtype).Rounded(Noise<double>(row.value));
    EXPECT_EQ(rounded.v, row.value);
    EXPECT_NEAR(std::sqrt(3 * rounded.s2), row.error, row.error * 1e-12) << row.dtype << " " << row.value;
  }
}

}  // namespace
}  // namespace diopi::ops
