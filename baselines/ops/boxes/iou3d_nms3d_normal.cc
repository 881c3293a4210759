// Non-maximum suppression of boxes [x, y, z, dx, dy, dz, heading] in the order given, seen from above as if
// no box were turned.
#include "baselines/ops/both.h"

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

// One box after the other, for what is kept depends on what was kept before.
struct KeepUncovered {
  Out<int64_t> keep, keep_num;
  Scratch<uint8_t> covers;
  int64_t count;

  DIOPI_HD void operator()(int64_t) const {
    int64_t kept = 0;
    for (int64_t i = 0; i < count; ++i) {
      bool covered = false;
      for (int64_t k = 0; k < kept && !covered; ++k) covered = covers[keep[k] * count + i] != 0;
      if (!covered) keep.Set(kept++, i);
    }
    keep_num.Set(0, kept);
  }
};

}  // namespace

DIOPI_KERNEL(diopiIou3dNms3dNormalMmcv, a) {
  const Tensor keep(a.keep), keep_num(a.keep_num), boxes(a.boxes);
  Check(boxes.rank() == 2 && boxes.size(1) == 7, "expected boxes of shape (count, 7), got ",
        ShapeText(boxes.shape()));
  const int64_t count = boxes.size(0);
  CheckShape(keep, {count}, "keep");
  Check(keep_num.numel() == 1, "expected keep_num of 1 element, got ", keep_num.numel());
  const Queue queue(a.ctx);
  const Scratch<uint8_t> covers(queue, count * count);
  DispatchFloating(boxes.dtype(), [&]<typename C>() {
    ForEach(queue, count * count,
            PlainBoxesCover<C>{covers, In<C>(boxes), count, Rounded<C>(a.nms_overlap_thresh)});
  });
  ForEach(queue, 1, KeepUncovered{Out<int64_t>(keep), Out<int64_t>(keep_num), covers, count});
}

}  // namespace diopi::ops::both
