// Non-maximum suppression of boxes [x, y, z, dx, dy, dz, heading] in the order given, seen from above as if
// no box were turned.
#include "baselines/ops/boxes/keep_uncovered.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct PlainBoxesCover {
  Scratch<uint8_t> covers;  // of box i and a later box k: whether they overlap too much
  In<C> boxes;
  int64_t count;
  C threshold;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t a = 7 * (i / count), b = 7 * (i % count);
    if (a >= b) return;
    const C shared = PlainSide(a, b) * PlainSide(a + 1, b + 1);
    const C base = boxes[a + 3] * boxes[a + 4] + boxes[b + 3] * boxes[b + 4] - shared;
    const C least = Rounded<C>(1e-8);
    covers[i] = shared / (base < least ? least : base) > threshold ? 1 : 0;
  }

 private:
  DIOPI_HD C PlainSide(int64_t a, int64_t b) const {
    const C half = C(0.5);
    const C low_a = boxes[a] - boxes[a + 3] * half, low_b = boxes[b] - boxes[b + 3] * half;
    const C high_a = boxes[a] + boxes[a + 3] * half, high_b = boxes[b] + boxes[b + 3] * half;
    const C side = (high_a < high_b ? high_a : high_b) - (low_a < low_b ? low_b : low_a);
    return side < C(0) ? C(0) : side;
  }
};

}  // namespace

DIOPI_KERNEL(diopiIou3dNms3dNormalMmcv, a) {
  KeepBoxes(a, [&]<typename C>(const Queue& queue, const Scratch<uint8_t>& covers, const In<C>& boxes,
                               int64_t count) {
    ForEach(queue, count * count, PlainBoxesCover<C>{covers, boxes, count, Rounded<C>(a.nms_overlap_thresh)});
  });
}

}  // namespace diopi::ops::both
