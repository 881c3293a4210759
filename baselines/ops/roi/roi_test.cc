#include <algorithm>
#include <cmath>
#include <random>

#include "baselines/ops/support/test_host.h"
#include "gtest/gtest.h"

namespace diopi::ops {
namespace {

// The gradient of a small image, on whose elements hundreds of samples of large regions lie.
std::vector<double> Rois(int count, std::mt19937* random) {
  std::uniform_int_distribution<int> corner(0, 160), size(60, 240);
  std::vector<double> rois;
  for (int i = 0; i < count; ++i) {
    const double x = corner(*random) / 16.0 - 3, y = corner(*random) / 16.0 - 3;
    rois.insert(rois.end(), {0, x, y, x + size(*random) / 16.0, y + size(*random) / 16.0});
  }
  return rois;
}

// Their places follow from the same rounded steps, so their errors do not cancel.
TEST(RoiAlign, NoiseOfGradientsCoversErrorsThatSamplesShare) {
  constexpr int kRegions = 14, kCells = 7;
  const Shape image = {1, 1, 2, 7}, cells = {kRegions, 1, kCells, kCells};
  std::mt19937 random(7);
  double worst = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const std::vector<double> rois = Rois(kRegions, &random);
    const auto run = [&](diopiDtype_t dtype) {
      TestTensor gradient(dtype, image), grad(dtype, cells, {0.5, -1, 1, -0.5, 1, 0.5, -0.5});
      const TestTensor regions(dtype, {kRegions, 5}, rois), none(dtype, {0});
      EXPECT_EQ(diopiRoiAlignBackwardMmcv(nullptr, gradient, grad, regions, none, none, kCells, kCells, 3, 1,
                                          1, false),
                diopiSuccess)
          << diopiGetLastErrorString();
      return gradient;
    };
    const std::vector<double> floats = run(kFloat).values();
    const std::vector<Noise<double>> noise = run(kNoise64).noise();
    for (size_t i = 0; i < floats.size(); ++i) {
      const double error = std::fabs(floats[i] - noise[i].v);
      if (noise[i].s2 > 0) worst = std::max(worst, error / std::sqrt(noise[i].s2));
    }
  }
  EXPECT_GT(worst, 0.5);
  EXPECT_LT(worst, 3);
}

// A corner that lies on the last place that counts, except for its own error: there the image ends.
TEST(RotatedFeatureAlign, NoiseCoversCornersOnTheBorder) {
  const Shape image = {1, 1, 4, 4};
  const auto run = [&](diopiDtype_t dtype, double row) {
    TestTensor out(dtype, image);
    const TestTensor features(dtype, image, {3});
    const TestTensor boxes(dtype, {1, 4, 4, 5}, {row, 2, 2, 2, 0.3});
    EXPECT_EQ(diopiRotatedFeatureAlignMmcv(nullptr, out, features, boxes, 1, 5), diopiSuccess);
    return out;
  };
  const double reach = std::sin(0.3) + std::cos(0.3);  // of the lowest corner below the center
  for (const double beside : {-3e-7, 0.0, 3e-7}) {
    const Noise<double> at = run(kNoise64, 4 - reach + beside).noise()[0];
    for (const double sum : {15.0, 18.0})
      EXPECT_LE(std::fabs(at.v - sum), 1.001 * std::sqrt(at.s2)) << beside;
  }
  for (const double beside : {-1e-4, 1e-4}) {
    const Noise<double> at = run(kNoise64, 4 - reach + beside).noise()[0];
    EXPECT_EQ(std::round(at.v), beside < 0 ? 18 : 15);
    EXPECT_LT(std::sqrt(at.s2), 1e-3) << beside;
  }
}

}  // namespace
}  // namespace diopi::ops
