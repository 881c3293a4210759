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
      // A sample exactly at the border counts or does not: no noise describes that.
      if (noise[i].s2 > 0 && error < 1e-3) worst = std::max(worst, error / std::sqrt(noise[i].s2));
    }
  }
  EXPECT_GT(worst, 0.5);
  EXPECT_LT(worst, 3);
}

}  // namespace
}  // namespace diopi::ops
