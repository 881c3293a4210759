// Areas that turned boxes [x, y, z, dx, dy, dz, heading] share seen from above, and the suppression of boxes
// by them.
#include "baselines/ops/boxes/keep_uncovered.h"
#include "baselines/ops/boxes/rotated_overlap.h"

namespace diopi::ops::both {
namespace {

template <typename C>
DIOPI_HD C AreaFromAbove(const In<C>& a, int64_t p, const In<C>& b, int64_t q) {
  return SharedArea(TurnedBox<C>(a[p], a[p + 1], a[p + 3], a[p + 4], a[p + 6]),
                    TurnedBox<C>(b[q], b[q + 1], b[q + 3], b[q + 4], b[q + 6]));
}

template <typename C>
struct AreasFromAbove {
  Out<C> out;
  In<C> a, b;
  int64_t columns;

  DIOPI_HD void operator()(int64_t i) const {
    out.Set(i, AreaFromAbove<C>(a, 7 * (i / columns), b, 7 * (i % columns)));
  }
};

template <typename C>
struct TurnedBoxesCover {
  Scratch<uint8_t> covers;
  In<C> boxes;
  int64_t count;
  C threshold;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t p = 7 * (i / count), q = 7 * (i % count);
    if (p >= q) return;
    const C shared = AreaFromAbove<C>(boxes, p, boxes, q);
    const C base = boxes[p + 3] * boxes[p + 4] + boxes[q + 3] * boxes[q + 4] - shared;
    const C least = Rounded<C>(1e-8);
    covers[i] = shared / (base < least ? least : base) > threshold ? 1 : 0;
  }
};

}  // namespace

DIOPI_KERNEL(diopiIou3dBoxesOverlapBevMmcv, a) {
  const Tensor out(a.ans_overlap), first(a.boxes_a), second(a.boxes_b);
  for (const Tensor& boxes : {first, second}) {
    Check(boxes.rank() == 2 && boxes.size(1) == 7, "expected boxes of shape (count, 7), got ",
          ShapeText(boxes.shape()));
  }
  CheckShape(out, {first.size(0), second.size(0)}, "ans_overlap");
  DispatchFloating(ResultType(out, {first, second}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            AreasFromAbove<C>{Out<C>(out), In<C>(first), In<C>(second), second.size(0)});
  });
}

DIOPI_KERNEL(diopiIou3dNms3dMmcv, a) {
  KeepBoxes(a, [&]<typename C>(const Queue& queue, const Scratch<uint8_t>& covers, const In<C>& boxes,
                               int64_t count) {
    ForEach(queue, count * count,
            TurnedBoxesCover<C>{covers, boxes, count, Rounded<C>(a.nms_overlap_thresh)});
  });
}

}  // namespace diopi::ops::both
