// Points chosen one after the other, each the furthest from those before; the first of equal ones.
#include "baselines/ops/points/points.h"

namespace diopi::ops::both {
namespace {

// A batch: its points, or the matrix of its distances.
template <typename C>
struct FurthestPoints {
  Out<C> nearest;  // distance of each point to those chosen
  Out<int64_t> indices;
  In<C> points;
  int64_t count, wanted;
  bool matrix;

  DIOPI_HD void operator()(int64_t batch) const {
    const int64_t first = batch * count;
    int64_t last = 0;
    for (int64_t chosen = 0; chosen < wanted; ++chosen) {
      indices.Set(batch * wanted + chosen, last);
      if (chosen + 1 == wanted) return;
      int64_t furthest = -1;
      for (int64_t k = 0; k < count; ++k) {
        const C distance = matrix ? points[(first + last) * count + k]
                                  : SquaredDistance(points, first + last, points, first + k);
        if (distance < nearest[first + k]) nearest.Set(first + k, distance);
        if (furthest < 0 || nearest[first + furthest] < nearest[first + k]) furthest = k;
      }
      last = furthest;
    }
  }
};

template <typename Args>
void ChooseFurthest(const Args& a, const Tensor& points, bool matrix) {
  const Tensor temp(a.temp_tensor), idx(a.idx_tensor);
  CheckShape(temp, {a.B, a.N}, "temp_tensor");
  CheckShape(idx, {a.B, a.num_points}, "idx_tensor");
  Check(a.N > 0, "expected at least one point, got ", a.N);
  DispatchFloating(ResultType(temp, {points}), [&]<typename C>() {
    ForEach(Queue(a.ctx), a.B,
            FurthestPoints<C>{Out<C>(temp), Out<int64_t>(idx), In<C>(points), a.N, a.num_points, matrix});
  });
}

}  // namespace

DIOPI_KERNEL(diopiFurthestPointSamplingMmcv, a) {
  const Tensor points(a.points_xyz);
  CheckShape(points, {a.B, a.N, 3}, "points_xyz");
  ChooseFurthest(a, points, false);
}

DIOPI_KERNEL(diopiFurthestPointSamplingWithDistMmcv, a) {
  const Tensor distances(a.points_dist);
  CheckShape(distances, {a.B, a.N, a.N}, "points_dist");
  ChooseFurthest(a, distances, true);
}

}  // namespace diopi::ops::both
