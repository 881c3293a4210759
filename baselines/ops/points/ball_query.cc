// The first points within a shell around each center, in batches of equal or of given sizes. The rest of the
// places takes the first point found.
#include "baselines/ops/points/points.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct BallOfPoints {
  Out<int64_t> indices;
  In<C> centers, points;
  In<int64_t> center_counts, point_counts;  // of stacked batches
  int64_t centers_of_batch, points_of_batch, batches, wanted;
  int64_t total;  // points of all batches
  C least, most;  // squared
  bool stacked;

  DIOPI_HD void operator()(int64_t i) const {
    int64_t first = 0, count = points_of_batch;
    if (stacked) {
      int64_t batch = 0;
      for (int64_t seen = center_counts[0]; batch + 1 < batches && i >= seen; seen += center_counts[batch])
        first += point_counts[batch++];
      count = point_counts[batch];
    } else {
      first = i / centers_of_batch * points_of_batch;
    }
    int64_t found = 0, fill = stacked ? -1 : 0;
    for (int64_t j = 0; j < count && first + j < total && found < wanted; ++j) {
      const C distance = SquaredDistance(centers, i, points, first + j);
      if (distance < least || !(distance < most)) continue;
      if (found == 0) fill = j;
      indices.Set(i * wanted + found++, j);
    }
    if (found == 0) indices.Set(i * wanted + found++, fill);
    if (fill < 0) fill = 0;  // beyond the -1 of an empty ball
    for (; found < wanted; ++found) indices.Set(i * wanted + found, fill);
  }
};

}  // namespace

DIOPI_KERNEL(diopiBallQueryMmcv, a) {
  const Tensor idx(a.idx), centers(a.center_xyz), points(a.xyz);
  CheckShape(centers, {a.B, a.npoint, 3}, "center_xyz");
  CheckShape(points, {a.B, a.N, 3}, "xyz");
  CheckShape(idx, {a.B, a.npoint, a.sample_num}, "idx");
  if (idx.numel() == 0) return;
  DispatchFloating(ResultType(Tensor(), {points}), [&]<typename C>() {
    const C least = Rounded<C>(a.min_radius), most = Rounded<C>(a.max_radius);
    ForEach(Queue(a.ctx), a.B * a.npoint,
            BallOfPoints<C>{Out<int64_t>(idx),
                            In<C>(centers),
                            In<C>(points),
                            {},
                            {},
                            a.npoint,
                            a.N,
                            a.B,
                            a.sample_num,
                            a.B * a.N,
                            least * least,
                            most * most,
                            false});
  });
}

DIOPI_KERNEL(diopiStackBallQueryMmcv, a) {
  const Tensor idx(a.idx), centers(a.center_xyz), points(a.xyz);
  const Tensor center_counts(a.center_xyz_batch_cnt), point_counts(a.xyz_batch_cnt);
  Check(centers.rank() == 2 && centers.size(1) == 3, "expected center_xyz of shape (M, 3), got ",
        ShapeText(centers.shape()));
  Check(points.rank() == 2 && points.size(1) == 3, "expected xyz of shape (N, 3), got ",
        ShapeText(points.shape()));
  CheckShape(point_counts, center_counts.shape(), "xyz_batch_cnt");
  CheckShape(idx, {centers.size(0), a.sample_num}, "idx");
  if (idx.numel() == 0) return;
  DispatchFloating(ResultType(Tensor(), {points}), [&]<typename C>() {
    const C most = Rounded<C>(a.max_radius);
    ForEach(Queue(a.ctx), centers.size(0),
            BallOfPoints<C>{Out<int64_t>(idx), In<C>(centers), In<C>(points), In<int64_t>(center_counts),
                            In<int64_t>(point_counts), 0, 0, center_counts.numel(), a.sample_num,
                            points.size(0), C(0), most * most, true});
  });
}

}  // namespace diopi::ops::both
