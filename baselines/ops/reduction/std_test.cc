#include <gtest/gtest.h>

#include <cmath>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

// The mean of equal elements is rounded, so their distances from it are not 0 in float32.
TEST(Std, OfEqualElementsMayBeTheErrorOfTheMean) {
  for (const int64_t count : {12, 1000}) {
    TestTensor x(kNoise64, {count}, {0.1F}), out(kNoise64, {});
    ASSERT_EQ(diopiStd(nullptr, out, x, {nullptr, 0}, nullptr), diopiSuccess) << diopiGetLastErrorString();
    float sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += 0.1F;
    const double error =
        std::fabs(static_cast<double>(sum / static_cast<float>(count)) - static_cast<double>(0.1F));
    EXPECT_EQ(out.noise()[0].v, 0);
    EXPECT_LT(error, 8 * std::sqrt(out.noise()[0].s2)) << count;
    EXPECT_GT(1e-4, 8 * std::sqrt(out.noise()[0].s2)) << count;
  }
}

}  // namespace
}  // namespace diopi::ops
