// Points of turned boxes sorted into voxels, and their features pooled: the largest or the mean.
#include "baselines/ops/roi3d/turned_boxes.h"

namespace diopi::ops::both {
namespace {

struct VoxelSizes {
  int64_t voxels[3], room, channels, points;

  DIOPI_HD int64_t Voxels() const { return voxels[0] * voxels[1] * voxels[2]; }
};

// One box: the numbers of points of its voxels, and their indices in order.
template <typename C>
struct SortIntoVoxels {
  Out<int64_t> indices;
  In<C> boxes, points;
  VoxelSizes sizes;

  DIOPI_HD void operator()(int64_t box) const {
    for (int64_t voxel = 0; voxel < sizes.Voxels(); ++voxel)
      indices.Set((box * sizes.Voxels() + voxel) * sizes.room, 0);
    for (int64_t point = 0; point < sizes.points; ++point) {
      const PlaceInBox<C> place(boxes, 7 * box, points, 3 * point);
      if (!place.inside) continue;
      int64_t voxel = 0;
      for (int d = 0; d < 3; ++d) {
        const C length = boxes[7 * box + 3 + d] / C(sizes.voxels[d]);
        int64_t at = static_cast<int64_t>(place.from_corner[d] / length);
        at = at < 0 ? 0 : at >= sizes.voxels[d] ? sizes.voxels[d] - 1 : at;
        voxel = voxel * sizes.voxels[d] + at;
      }
      const int64_t first = (box * sizes.Voxels() + voxel) * sizes.room, count = indices[first];
      if (count >= sizes.room - 1) continue;
      indices.Set(first + count + 1, point);
      indices.Set(first, count + 1);
    }
  }
};

// A voxel's feature. An output without points stays as it is.
template <typename C>
struct PoolVoxels {
  Out<C> out;
  Out<int64_t> largest;
  In<int64_t> indices;
  In<C> features;
  VoxelSizes sizes;
  bool mean;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t first = i / sizes.channels * sizes.room, count = indices[first],
                  channel = i % sizes.channels;
    C result = C(0);
    int64_t which = -1;
    for (int64_t k = 1; k <= count; ++k) {
      const int64_t point = indices[first + k];
      const C x = features[point * sizes.channels + channel];
      if (mean) {
        result += x;
      } else if (which < 0 || x > result) {
        result = x;
        which = point;
      }
    }
    if (!mean) largest.Set(i, which);
    if (count > 0) out.Set(i, mean ? result / C(count) : result);
  }
};

// The gradient of a point's feature: what all voxels give it.
template <typename C>
struct PoolVoxelsGradient {
  Out<C> out;
  In<int64_t> indices, largest;
  In<C> grad;
  VoxelSizes sizes;
  int64_t voxels;  // of all boxes
  bool mean;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t point = i / sizes.channels, channel = i % sizes.channels;
    C sum = C(0);
    for (int64_t voxel = 0; voxel < voxels; ++voxel) {
      const int64_t at = voxel * sizes.channels + channel, first = voxel * sizes.room;
      if (!mean) {
        if (largest[at] == point) sum += grad[at];
        continue;
      }
      for (int64_t k = 1; k <= indices[first]; ++k) {
        if (indices[first + k] == point) sum += grad[at] * (C(1) / C(indices[first]));
      }
    }
    out.Set(i, sum);
  }
};

VoxelSizes SizesOfVoxels(const Tensor& indices, const Tensor& largest, const Tensor& pooled, const char* name,
                         const Tensor& features) {
  Check(indices.rank() == 5 && pooled.rank() == 5 && features.rank() == 2,
        "expected voxels of 5 dimensions and features of 2");
  const VoxelSizes sizes{{indices.size(1), indices.size(2), indices.size(3)},
                         indices.size(4),
                         features.size(1),
                         features.size(0)};
  const Shape shape = {indices.size(0), indices.size(1), indices.size(2), indices.size(3), sizes.channels};
  CheckShape(pooled, shape, name);
  CheckShape(largest, shape, "argmax");
  return sizes;
}

void CheckPoolMethod(int64_t method) {
  Check(method == 0 || method == 1, "expected pool_method 0 or 1, got ", method);
}

}  // namespace

DIOPI_KERNEL(diopiRoiawarePool3dMmcv, a) {
  const Tensor out(a.pooled_features), indices(a.pts_idx_of_voxels), largest(a.argmax), boxes(a.rois),
      points(a.pts), features(a.pts_feature);
  const VoxelSizes sizes = SizesOfVoxels(indices, largest, out, "pooled_features", features);
  CheckPoolMethod(a.pool_method);
  CheckShape(boxes, {out.size(0), 7}, "rois");
  CheckShape(points, {sizes.points, 3}, "pts");
  DispatchFloating(ResultType(out, {boxes, points, features}), [&]<typename C>() {
    const Queue queue(a.ctx);
    ForEach(queue, boxes.size(0),
            SortIntoVoxels<C>{Out<int64_t>(indices), In<C>(boxes), In<C>(points), sizes});
    ForEach(queue, out.numel(),
            PoolVoxels<C>{Out<C>(out), Out<int64_t>(largest), In<int64_t>(indices), In<C>(features), sizes,
                          a.pool_method == 1});
  });
}

DIOPI_KERNEL(diopiRoiawarePool3dBackwardMmcv, a) {
  const Tensor out(a.grad_in), indices(a.pts_idx_of_voxels), largest(a.argmax), grad(a.grad_out);
  const VoxelSizes sizes = SizesOfVoxels(indices, largest, grad, "grad_out", out);
  CheckPoolMethod(a.pool_method);
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            PoolVoxelsGradient<C>{Out<C>(out), In<int64_t>(indices), In<int64_t>(largest), In<C>(grad), sizes,
                                  grad.size(0) * sizes.Voxels(), a.pool_method == 1});
  });
}

}  // namespace diopi::ops::both
