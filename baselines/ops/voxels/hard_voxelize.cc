// Points sorted into voxels of limited room, in the order in which they come.
#include "baselines/ops/host_number.h"
#include "baselines/ops/voxels/voxel_grid.h"

namespace diopi::ops::both {
namespace {

// One point after the other, because the voxels are numbered in the order of their first points. A kernel of
// one element.
template <typename C>
struct SortPoints {
  Out<C> voxels;
  Out<int64_t> coors, counts, number;
  In<C> points;
  int64_t count, features, max_points, max_voxels;
  VoxelGrid<C> grid;

  DIOPI_HD void operator()(int64_t) const {
    int64_t used = 0;
    for (int64_t i = 0; i < count; ++i) {
      int64_t zyx[3];
      if (!grid.Place(points, i * features, zyx)) continue;
      int64_t voxel = 0;
      while (voxel < used && !Is(voxel, zyx)) ++voxel;
      if (voxel == max_voxels) continue;
      if (voxel == used) {
        for (int d = 0; d < 3; ++d) coors.Set(3 * voxel + d, zyx[d]);
        counts.Set(voxel, 0);
        ++used;
      }
      const int64_t at = counts[voxel];
      if (at == max_points) continue;
      for (int64_t f = 0; f < features; ++f)
        voxels.Set((voxel * max_points + at) * features + f, points[i * features + f]);
      counts.Set(voxel, at + 1);
    }
    number.Set(0, used);
  }

 private:
  DIOPI_HD bool Is(int64_t voxel, const int64_t* zyx) const {
    return coors[3 * voxel] == zyx[0] && coors[3 * voxel + 1] == zyx[1] && coors[3 * voxel + 2] == zyx[2];
  }
};

}  // namespace

DIOPI_KERNEL(diopiHardVoxelizeMmcv, a) {
  const Tensor voxels(a.voxels), coors(a.coors), counts(a.num_points_per_voxel), voxel_num(a.voxel_num),
      points(a.points);
  CheckPoints(points, a.NDim);
  Check(a.max_points > 0 && a.max_voxels > 0, "expected max_points and max_voxels above 0, got ",
        a.max_points, " and ", a.max_voxels);
  CheckShape(voxels, {a.max_voxels, a.max_points, points.size(1)}, "voxels");
  CheckShape(coors, {a.max_voxels, 3}, "coors");
  CheckShape(counts, {a.max_voxels}, "num_points_per_voxel");
  const bool narrow = voxel_num.dtype() == diopi_dtype_int32;
  Check(voxel_num.numel() == 1 && (narrow || voxel_num.dtype() == diopi_dtype_int64),
        "expected voxel_num of one int64 or int32");
  const Queue queue(a.ctx);
  const Tensor number(RequireTensor(a.ctx, {1}, diopi_dtype_int64));
  DispatchFloating(ResultType(voxels, {points}), [&]<typename C>() {
    ForEach(queue, 1,
            SortPoints<C>{Out<C>(voxels), Out<int64_t>(coors), Out<int64_t>(counts), Out<int64_t>(number),
                          In<C>(points), points.size(0), points.size(1), a.max_points, a.max_voxels,
                          VoxelGridOf<C>(Tensor(a.voxel_size), Tensor(a.coors_range))});
  });
  const int64_t used = HostNumber(queue, number);
  if (narrow) {
    *reinterpret_cast<int32_t*>(voxel_num.writable()) = static_cast<int32_t>(used);
  } else {
    *reinterpret_cast<int64_t*>(voxel_num.writable()) = used;
  }
}

}  // namespace diopi::ops::both
