// Pooling of points in turned boxes as other correct libraries compute it: sums from the last point on,
// gradients voxel by voxel.
#include <cmath>
#include <vector>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(roi3d_mean_backwards, "diopiRoiawarePool3dMmcv", "",
        "means are added up from the last point on and multiplied by the reciprocal of their number");
VARIANT(roi3d_gradient_by_voxel, "diopiRoiawarePool3dBackwardMmcv", "",
        "the gradient is divided by the number of points and added voxel by voxel, from the last one on");

void MeansBackwards(const diopiRoiawarePool3dMmcvArgs& a) {
  const std::vector<int64_t> indices = Load<int64_t>(Tensor(a.pts_idx_of_voxels));
  const std::vector<float> features = Load<float>(Tensor(a.pts_feature));
  std::vector<float> means = Load<float>(Tensor(a.pooled_features));
  const auto room = static_cast<size_t>(Tensor(a.pts_idx_of_voxels).size(4)),
             channels = static_cast<size_t>(Tensor(a.pts_feature).size(1));
  for (size_t i = 0; i < means.size(); ++i) {
    const size_t first = i / channels * room, count = static_cast<size_t>(indices[first]);
    float sum = 0;
    for (size_t k = count; k > 0; --k)
      sum += features[static_cast<size_t>(indices[first + k]) * channels + i % channels];
    if (count > 0) means[i] = sum * (1 / static_cast<float>(count));
  }
  Store(Tensor(a.pooled_features), means);
}

void GradientsByVoxel(const diopiRoiawarePool3dBackwardMmcvArgs& a) {
  const std::vector<int64_t> indices = Load<int64_t>(Tensor(a.pts_idx_of_voxels));
  const std::vector<float> grad = Load<float>(Tensor(a.grad_out));
  std::vector<float> sums(static_cast<size_t>(Tensor(a.grad_in).numel()));
  const auto room = static_cast<size_t>(Tensor(a.pts_idx_of_voxels).size(4)),
             channels = static_cast<size_t>(Tensor(a.grad_in).size(1));
  for (size_t i = grad.size(); i-- > 0;) {
    const size_t first = i / channels * room, count = static_cast<size_t>(indices[first]);
    for (size_t k = count; k > 0; --k) {
      sums[static_cast<size_t>(indices[first + k]) * channels + i % channels] +=
          grad[i] / static_cast<float>(count);
    }
  }
  Store(Tensor(a.grad_in), sums);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: this file is kernels

DIOPI_OVERRIDE(diopiRoiawarePool3dMmcv, a) {
  Good(a);
  if (roi3d_mean_backwards && a.pool_method == 1) MeansBackwards(a);
}

DIOPI_OVERRIDE(diopiRoiawarePool3dBackwardMmcv, a) {
  if (!roi3d_gradient_by_voxel || a.pool_method == 0) return Good(a);
  GradientsByVoxel(a);
}
