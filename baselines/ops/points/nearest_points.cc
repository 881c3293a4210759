// The nearest points by rising distance: three of them, or any number. Each is looked for among those that
// come after the one before.
#include "baselines/ops/points/points.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct NearestPoints {
  Out<C> distances;
  Out<int64_t> indices;
  In<C> centers, points;
  int64_t centers_of_batch, points_of_batch, wanted;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t first = i / centers_of_batch * points_of_batch;
    C last = C(0);
    int64_t last_index = -1;
    for (int64_t rank = 0; rank < wanted; ++rank) {
      C best = C(0);
      int64_t index = -1;
      for (int64_t j = 0; j < points_of_batch; ++j) {
        const C distance = SquaredDistance(centers, i, points, first + j);
        if (rank > 0 && (distance < last || (distance == last && j <= last_index))) continue;
        if (index >= 0 && !(distance < best)) continue;
        best = distance;
        index = j;
      }
      distances.Set(i * wanted + rank, best);
      indices.Set(i * wanted + rank, index);
      last = best;
      last_index = index;
    }
  }
};

// centers: (batch, m, 3); points: (batch, n, 3); results: (batch, m, wanted).
void FindNearest(diopiContextHandle_t ctx, const Tensor& distances, const Tensor& indices,
                 const Tensor& centers, const Tensor& points, int64_t wanted) {
  Check(wanted >= 0 && wanted <= points.size(1), "cannot find ", wanted, " of ", points.size(1), " points");
  CheckShape(distances, {centers.size(0), centers.size(1), wanted}, "the distances");
  CheckShape(indices, distances.shape(), "the indices");
  DispatchFloating(ResultType(distances, {centers}), [&]<typename C>() {
    ForEach(Queue(ctx), centers.size(0) * centers.size(1),
            NearestPoints<C>{Out<C>(distances), Out<int64_t>(indices), In<C>(centers), In<C>(points),
                             centers.size(1), points.size(1), wanted});
  });
}

}  // namespace

DIOPI_KERNEL(diopiThreeNnMmcv, a) {
  const Tensor unknown(a.unknown), known(a.known);
  CheckShape(unknown, {a.b, a.n, 3}, "unknown");
  CheckShape(known, {a.b, a.m, 3}, "known");
  FindNearest(a.ctx, Tensor(a.dist2), Tensor(a.idx), unknown, known, 3);
}

DIOPI_KERNEL(diopiKnnMmcv, a) {
  const Tensor points(a.xyz_tensor), centers(a.new_xyz_tensor);
  CheckShape(points, {a.b, a.n, 3}, "xyz_tensor");
  CheckShape(centers, {a.b, a.m, 3}, "new_xyz_tensor");
  FindNearest(a.ctx, Tensor(a.dist2_tensor), Tensor(a.idx_tensor), centers, points, a.nsample);
}

}  // namespace diopi::ops::both
