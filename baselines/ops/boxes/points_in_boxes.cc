// Points in turned boxes of three dimensions: the first box of each point, or a flag for every box.
#include <cmath>

#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

// The number of the first box that holds a point, or 1 for each box that does. The rest keeps what it holds.
template <typename C>
struct BoxesOfPoints {
  Out<int64_t> out;
  In<C> boxes, points;
  int64_t count;      // of boxes in a batch
  int64_t per_batch;  // points
  bool all;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t first = i / per_batch * count;
    for (int64_t k = 0; k < count; ++k) {
      if (!Holds(7 * (first + k), 3 * i)) continue;
      out.Set(all ? i * count + k : i, all ? 1 : k);
      if (!all) return;
    }
  }

 private:
  DIOPI_HD bool Holds(int64_t box, int64_t point) const {
    using std::cos;
    using std::sin;
    const C half = C(0.5), height = boxes[box + 5] * half;
    const C above = points[point + 2] - (boxes[box + 2] + height);
    if (above > height || above < -height) return false;
    const C x = points[point] - boxes[box], y = points[point + 1] - boxes[box + 1];
    const C cosine = cos(-boxes[box + 6]), sine = sin(-boxes[box + 6]);
    const C along = x * cosine - y * sine, across = x * sine + y * cosine;
    const C length = boxes[box + 3] * half, width = boxes[box + 4] * half;
    return along > -length && along < length && across > -width && across < width;
  }
};

template <typename Args>
void FindBoxes(const Args& a, bool all) {
  const Tensor out(a.box_idx_of_points), boxes(a.boxes), points(a.pts);
  Check(boxes.rank() == 3 && points.rank() == 3, "expected boxes and pts of 3 dimensions");
  const int64_t batch = points.size(0), per_batch = points.size(1), count = boxes.size(1);
  CheckShape(boxes, {batch, count, 7}, "boxes");
  CheckShape(points, {batch, per_batch, 3}, "pts");
  CheckShape(out, all ? Shape{batch, per_batch, count} : Shape{batch, per_batch}, "box_idx_of_points");
  DispatchFloating(ResultType(Tensor(), {boxes, points}), [&]<typename C>() {
    ForEach(Queue(a.ctx), batch * per_batch,
            BoxesOfPoints<C>{Out<int64_t>(out), In<C>(boxes), In<C>(points), count, per_batch, all});
  });
}

}  // namespace

DIOPI_KERNEL(diopiPointsInBoxesPartMmcv, a) {
  FindBoxes(a, false);
}
DIOPI_KERNEL(diopiPointsInBoxesAllMmcv, a) {
  FindBoxes(a, true);
}

}  // namespace diopi::ops::both
