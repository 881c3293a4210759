// The nearest point of the plane in the other set, in both directions; the first of equal ones. The gradient
// of a point adds up its own pair, then the pairs of the other direction that end in it, in their order.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct ChamferNearest {
  Out<C> distances;
  Out<int64_t> indices;
  In<C> from, to;
  int64_t from_of_batch, to_of_batch;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t first = i / from_of_batch * to_of_batch;
    C best = C(0);
    int64_t index = -1;
    for (int64_t j = 0; j < to_of_batch; ++j) {
      const C x = to[2 * (first + j)] - from[2 * i], y = to[2 * (first + j) + 1] - from[2 * i + 1];
      const C distance = x * x + y * y;
      if (index >= 0 && !(distance < best)) continue;
      best = distance;
      index = j;
    }
    distances.Set(i, best);
    indices.Set(i, index);
  }
};

// One set's points with the gradients of their distances and the indices of their nearest.
template <typename C>
struct ChamferSide {
  In<C> points, grad;
  In<int64_t> nearest;
  int64_t of_batch;
};

template <typename C>
struct ChamferGradient {
  Out<C> out;
  ChamferSide<C> own, other;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t point = i / 2, coordinate = i % 2, batch = point / own.of_batch;
    const int64_t first = batch * other.of_batch;
    const C x = own.points[i];
    const int64_t nearest = own.nearest[point];
    Sum<C> sum;
    if (nearest >= 0 && nearest < other.of_batch)
      sum += own.grad[point] * C(2) * (x - other.points[2 * (first + nearest) + coordinate]);
    for (int64_t j = first; j < first + other.of_batch; ++j) {
      if (other.nearest[j] != point % own.of_batch) continue;
      sum += -(other.grad[j] * C(2) * (other.points[2 * j + coordinate] - x));
    }
    out.Set(i, sum.total());
  }
};

void CheckPlane(const Tensor& points, const char* name) {
  Check(points.rank() == 3 && points.size(2) == 2, "expected ", name, " of shape (B, N, 2), got ",
        ShapeText(points.shape()));
}

}  // namespace

DIOPI_KERNEL(diopiChamferDistanceMmcv, a) {
  const Tensor xyz1(a.xyz1), xyz2(a.xyz2), dist1(a.dist1), dist2(a.dist2);
  CheckPlane(xyz1, "xyz1");
  CheckPlane(xyz2, "xyz2");
  Check(xyz1.size(1) > 0 && xyz2.size(1) > 0, "expected points in both sets");
  CheckShape(dist1, {xyz1.size(0), xyz1.size(1)}, "dist1");
  CheckShape(dist2, {xyz1.size(0), xyz2.size(1)}, "dist2");
  CheckShape(Tensor(a.idx1), dist1.shape(), "idx1");
  CheckShape(Tensor(a.idx2), dist2.shape(), "idx2");
  DispatchFloating(ResultType(dist1, {xyz1, xyz2}), [&]<typename C>() {
    const In<C> first(xyz1), second(xyz2);
    ForEach(Queue(a.ctx), dist1.numel(),
            ChamferNearest<C>{Out<C>(dist1), Out<int64_t>(Tensor(a.idx1)), first, second, xyz1.size(1),
                              xyz2.size(1)});
    ForEach(Queue(a.ctx), dist2.numel(),
            ChamferNearest<C>{Out<C>(dist2), Out<int64_t>(Tensor(a.idx2)), second, first, xyz2.size(1),
                              xyz1.size(1)});
  });
}

DIOPI_KERNEL(diopiChamferDistanceBackwardMmcv, a) {
  const Tensor xyz1(a.xyz1), xyz2(a.xyz2), grad1(a.grad_xyz1), grad2(a.grad_xyz2);
  CheckPlane(xyz1, "xyz1");
  CheckPlane(xyz2, "xyz2");
  CheckShape(grad1, xyz1.shape(), "grad_xyz1");
  CheckShape(grad2, xyz2.shape(), "grad_xyz2");
  CheckShape(Tensor(a.grad_dist1), {xyz1.size(0), xyz1.size(1)}, "grad_dist1");
  CheckShape(Tensor(a.grad_dist2), {xyz2.size(0), xyz2.size(1)}, "grad_dist2");
  CheckShape(Tensor(a.idx1), {xyz1.size(0), xyz1.size(1)}, "idx1");
  CheckShape(Tensor(a.idx2), {xyz2.size(0), xyz2.size(1)}, "idx2");
  DispatchFloating(ResultType(grad1, {xyz1, xyz2}), [&]<typename C>() {
    const ChamferSide<C> first{In<C>(xyz1), In<C>(Tensor(a.grad_dist1)), In<int64_t>(Tensor(a.idx1)),
                               xyz1.size(1)};
    const ChamferSide<C> second{In<C>(xyz2), In<C>(Tensor(a.grad_dist2)), In<int64_t>(Tensor(a.idx2)),
                                xyz2.size(1)};
    ForEach(Queue(a.ctx), grad1.numel(), ChamferGradient<C>{Out<C>(grad1), first, second});
    ForEach(Queue(a.ctx), grad2.numel(), ChamferGradient<C>{Out<C>(grad2), second, first});
  });
}

}  // namespace diopi::ops::both
