// The voxels of a range of space, from two tensors in the host's memory: voxel_size [x, y, z], and
// coors_range, the least coordinates and then the greatest.
#ifndef BASELINES_OPS_VOXELS_VOXEL_GRID_H_
#define BASELINES_OPS_VOXELS_VOXEL_GRID_H_

#include <cmath>

#include "baselines/ops/both.h"

namespace diopi::ops::both {

template <typename C>
struct VoxelGrid {
  C size[3], least[3];
  int64_t cells[3] = {0, 0, 0};

  // Fills z, y, x; false for a point outside.
  DIOPI_HD bool Place(const In<C>& points, int64_t first, int64_t* zyx) const {
    using std::floor;
    for (int d = 0; d < 3; ++d) {
      const C at = floor((points[first + d] - least[d]) / size[d]);
      if (at < C(0) || !(at < C(cells[d]))) return false;
      zyx[2 - d] = static_cast<int64_t>(at);
    }
    return true;
  }
};

template <typename C>
VoxelGrid<C> VoxelGridOf(const Tensor& sizes, const Tensor& range) {
  CheckShape(sizes, {3}, "voxel_size");
  CheckShape(range, {6}, "coors_range");
  Check(sizes.dtype() == diopi_dtype_float32 && range.dtype() == diopi_dtype_float32,
        "expected voxel_size and coors_range of float32");
  const auto* size = reinterpret_cast<const float*>(sizes.data());
  const auto* bound = reinterpret_cast<const float*>(range.data());
  const int64_t step = sizes.strides()[0], next = range.strides()[0];
  VoxelGrid<C> grid;
  for (int d = 0; d < 3; ++d) {
    const float cell = size[d * step], least = bound[d * next], greatest = bound[(d + 3) * next];
    Check(cell > 0, "voxel_size must be positive");
    grid.size[d] = C(cell);
    grid.least[d] = C(least);
    grid.cells[d] = std::lround((greatest - least) / cell);
  }
  return grid;
}

inline void CheckPoints(const Tensor& points, int64_t dimensions) {
  Check(dimensions == 3, "NDim other than 3 is not implemented, got ", dimensions);
  Check(points.rank() == 2 && points.size(1) >= 3, "expected points of shape (count, 3 or more), got ",
        ShapeText(points.shape()));
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_VOXELS_VOXEL_GRID_H_
