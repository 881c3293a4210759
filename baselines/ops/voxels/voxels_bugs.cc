// Bugs injected into voxels.
#include <algorithm>

#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is nothing else

constexpr char kGrid[] = "diopiDynamicVoxelizeMmcv diopiHardVoxelizeMmcv";
BUG(voxels_xyz, 0, kGrid, "", "voxels are x, y, z");
BUG(voxels_size_of_x, 0, kGrid, "", "all sides of voxels are as long as along x");
BUG(voxels_from_origin, 0, kGrid, "", "the range's begin is not subtracted");
BUG(dynamic_voxelize_zero, 0, "diopiDynamicVoxelizeMmcv", "", "points outside are in the first voxel");
BUG(hard_voxelize_counts_all, 0, "diopiHardVoxelizeMmcv", "",
    "the number of points of a full voxel is one too large");
BUG(hard_voxelize_last_points, 0, "diopiHardVoxelizeMmcv", "", "points are taken from the last to the first");
BUG(hard_voxelize_stops, 0, "diopiHardVoxelizeMmcv", "",
    "when a voxel finds no room, the points after it are left out");
BUG(point_to_voxel_mean_of_all, 0, "diopiDynamicPointToVoxelMmcv", "",
    "the mean divides by the number of all points");
BUG(point_to_voxel_largest_of_zero, 0, "diopiDynamicPointToVoxelMmcv", "", "the largest is at least 0");
BUG(point_to_voxel_reversed, 0, "diopiDynamicPointToVoxelMmcv", "",
    "voxels are sorted by their last number first");
BUG(point_to_voxel_gradient_undivided, 0, "diopiDynamicPointToVoxelBackwardMmcv", "",
    "the gradient of a mean is not divided");
BUG(point_to_voxel_gradient_all, 0, "diopiDynamicPointToVoxelBackwardMmcv", "",
    "every point of a voxel gets the gradient of the largest");

template <typename Args>
void Shift(Args& a) {
  const std::vector<double> range = Load<double>(Tensor(a.coors_range)),
                            sizes = Load<double>(Tensor(a.voxel_size));
  if (voxels_from_origin) {
    const auto width = Tensor(a.points).size(1);
    a.points = Replaced(a.ctx, a.points, [&](double x, int64_t i) {
      return i % width < 3 ? x + range[static_cast<size_t>(i % width)] : x;
    });
  }
  // Sizes lie in the host's memory, and nobody else reads them meanwhile.
  if (voxels_size_of_x)
    Store(Tensor(const_cast<diopiTensorHandle_t>(a.voxel_size)), std::vector<double>(3, sizes[0]));
  Good(a);
  if (voxels_size_of_x) Store(Tensor(const_cast<diopiTensorHandle_t>(a.voxel_size)), sizes);
  if (!voxels_xyz) return;
  const std::vector<double> zyx = Load<double>(Tensor(a.coors));
  Change(a.coors, [&](double, int64_t i) { return zyx[static_cast<size_t>(i / 3 * 3 + 2 - i % 3)]; });
}

diopiConstTensorHandle_t LastRowsFirst(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor) {
  const std::vector<double> all = Load<double>(Tensor(tensor));
  const int64_t row = Tensor(tensor).size(1), last = Tensor(tensor).size(0) - 1;
  return Replaced(ctx, tensor, [&](double, int64_t i) {
    return all[static_cast<size_t>((last - i / row) * row + i % row)];
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiDynamicVoxelizeMmcv, a) {
  Shift(a);
  if (dynamic_voxelize_zero) Change(a.coors, [](double x, int64_t) { return std::max(x, 0.0); });
}

DIOPI_OVERRIDE(diopiHardVoxelizeMmcv, a) {
  if (hard_voxelize_last_points) a.points = LastRowsFirst(a.ctx, a.points);
  Shift(a);
  const auto full = static_cast<double>(a.max_points);
  if (hard_voxelize_counts_all)
    Change(a.num_points_per_voxel, [&](double x, int64_t) { return x == full ? x + 1 : x; });
  if (hard_voxelize_stops && Load<int64_t>(Tensor(a.voxel_num))[0] == a.max_voxels)
    Change(a.num_points_per_voxel, [&](double x, int64_t i) { return i == 0 ? 1.0 : x; });
}

DIOPI_OVERRIDE(diopiDynamicPointToVoxelMmcv, a) {
  const int64_t width = Tensor(a.coors).size(1);
  const auto reversed = [&](diopiConstTensorHandle_t tensor) {
    const std::vector<double> all = Load<double>(Tensor(tensor));
    return Replaced(a.ctx, tensor, [&, width](double, int64_t i) {
      return all[static_cast<size_t>(i / width * width + width - 1 - i % width)];
    });
  };
  if (point_to_voxel_reversed) a.coors = reversed(a.coors);
  Good(a);
  if (point_to_voxel_reversed) {
    const std::vector<double> all = Load<double>(Tensor(a.outlist[1]));
    Change(a.outlist[1], [&](double, int64_t i) {
      return all[static_cast<size_t>(i / width * width + width - 1 - i % width)];
    });
  }
  if (point_to_voxel_largest_of_zero && a.reduce_type == 2)
    Change(a.outlist[0], [](double x, int64_t) { return std::max(x, 0.0); });
  if (point_to_voxel_mean_of_all && a.reduce_type == 1) {
    const std::vector<double> counts = Load<double>(Tensor(a.outlist[3]));
    const int64_t channels = Tensor(a.feats).size(1);
    const auto all = static_cast<double>(Tensor(a.feats).size(0));
    Change(a.outlist[0],
           [&](double x, int64_t i) { return x * counts[static_cast<size_t>(i / channels)] / all; });
  }
}

DIOPI_OVERRIDE(diopiDynamicPointToVoxelBackwardMmcv, a) {
  if (point_to_voxel_gradient_undivided && a.reduce_type == 1) a.reduce_type = 0;
  if (point_to_voxel_gradient_all && a.reduce_type == 2) a.reduce_type = 0;
  Good(a);
}
