// The voxel of each point.
#include "baselines/ops/voxels/voxel_grid.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct VoxelsOfPoints {
  Out<int64_t> out;
  In<C> points;
  int64_t features;
  VoxelGrid<C> grid;

  DIOPI_HD void operator()(int64_t i) const {
    int64_t zyx[3] = {-1, -1, -1};
    const bool inside = grid.Place(points, i * features, zyx);
    for (int d = 0; d < 3; ++d) out.Set(3 * i + d, inside ? zyx[d] : -1);
  }
};

}  // namespace

DIOPI_KERNEL(diopiDynamicVoxelizeMmcv, a) {
  const Tensor out(a.coors), points(a.points);
  CheckPoints(points, a.NDim);
  CheckShape(out, {points.size(0), 3}, "coors");
  DispatchFloating(points.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), points.size(0),
            VoxelsOfPoints<C>{Out<int64_t>(out), In<C>(points), points.size(1),
                              VoxelGridOf<C>(Tensor(a.voxel_size), Tensor(a.coors_range))});
  });
}

}  // namespace diopi::ops::both
