#include <gtest/gtest.h>

#include <cmath>

#include "baselines/ops/support/test_host.h"

namespace diopi::ops {
namespace {

// The product of equal factors as a tree has it, and one after the other.
float Tree(float factor, int64_t count) {
  if (count == 1) return factor;
  const float half = Tree(factor, count / 2);
  return half * half * (count % 2 == 1 ? factor : 1);
}

float Serial(float factor, int64_t count) {
  float product = 1;
  for (int64_t i = 0; i < count; ++i) product *= factor;
  return product;
}

Noise<double> Product(float factor, int64_t count) {
  TestTensor x(kNoise64, {count}, {static_cast<double>(factor)}), out(kNoise64, {});
  EXPECT_EQ(diopiProd(nullptr, out, x, nullptr), diopiSuccess) << diopiGetLastErrorString();
  return out.noise()[0];
}

// In a tree, the error of a square is that of all squares.
TEST(Prod, NoiseCoversTreesOfEqualFactors) {
  double worst = 0, beyond = 0;
  for (const int64_t count : {5, 32, 257, 2047, 4096}) {
    for (int i = 0; i < 100; ++i) {
      const float factor = 1 + static_cast<float>(i + 1) * 1.1e-4F * (i % 2 == 0 ? 1 : -1);
      const Noise<double> product = Product(factor, count);
      for (const float got : {Tree(factor, count), Serial(factor, count)}) {
        const double error = std::fabs(static_cast<double>(got) - product.v);
        worst = std::max(worst, error / std::sqrt(product.s2));
        beyond = std::max(
            beyond, error / (std::fabs(product.v) * 0x1p-24 * std::sqrt(static_cast<double>(count) / 3)));
      }
    }
  }
  EXPECT_LT(worst, 4);
  EXPECT_GT(beyond, 16);  // of as many independent roundings
}

TEST(Prod, PowersOfTwoRoundNothing) {
  for (const float factor : {1.0F, -1.0F})
    EXPECT_LE(Product(factor, 1024).s2, 1.001 * 1024 * std::pow(0x1p-24, 2) / 3);
}

}  // namespace
}  // namespace diopi::ops
