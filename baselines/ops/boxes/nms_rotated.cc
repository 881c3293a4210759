// Non-maximum suppression of turned boxes, which come sorted; the result are their places before they were
// sorted.
#include "baselines/ops/boxes/keep_uncovered.h"
#include "baselines/ops/boxes/rotated_overlap.h"
#include "baselines/ops/host_number.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct SortedBoxesCover {
  Scratch<uint8_t> covers;
  In<C> boxes;
  int64_t count, numbers;  // numbers in a row
  C threshold;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t p = i / count, q = i % count;
    if (p >= q) return;
    const int64_t a = p * numbers, b = q * numbers;
    const C half = C(0.5), x = (boxes[a] - boxes[b]) * half, y = (boxes[a + 1] - boxes[b + 1]) * half;
    const C shared = SharedArea(TurnedBox<C>(x, y, boxes[a + 2], boxes[a + 3], boxes[a + 4]),
                                TurnedBox<C>(-x, -y, boxes[b + 2], boxes[b + 3], boxes[b + 4]));
    const C overlap = PartOf<C>(shared, boxes[a + 2] * boxes[a + 3], boxes[b + 2] * boxes[b + 3], 0);
    covers[i] = overlap > threshold ? 1 : 0;
  }
};

struct PickPlaces {
  Out<int64_t> out;
  In<int64_t> order, kept;

  DIOPI_HD void operator()(int64_t i) const { out.Set(i, order[kept[i]]); }
};

}  // namespace

DIOPI_KERNEL(diopiNmsRotatedMmcv, a) {
  const Tensor boxes(a.dets_sorted), order(a.order);
  Check(boxes.rank() == 2 && boxes.size(1) == (a.multi_label ? 6 : 5), "expected dets_sorted of ",
        a.multi_label ? 6 : 5, " numbers a row, got shape ", ShapeText(boxes.shape()));
  const int64_t count = boxes.size(0);
  CheckShape(order, {count}, "order");
  const Queue queue(a.ctx);
  const Scratch<uint8_t> covers(queue, count * count);
  DispatchFloating(boxes.dtype(), [&]<typename C>() {
    ForEach(queue, count * count,
            SortedBoxesCover<C>{covers, In<C>(boxes), count, boxes.size(1),
                                Rounded<C>(static_cast<double>(a.iou_threshold))});
  });
  const Tensor kept(RequireTensor(a.ctx, {count}, diopi_dtype_int64));
  const Tensor number(RequireTensor(a.ctx, {1}, diopi_dtype_int64));
  ForEach(queue, 1, KeepUncovered{Out<int64_t>(kept), Out<int64_t>(number), covers, count});
  *a.out = RequireTensor(a.ctx, {HostNumber(queue, number)}, diopi_dtype_int64);
  const Tensor out(*a.out);
  ForEach(queue, out.numel(), PickPlaces{Out<int64_t>(out), In<int64_t>(order), In<int64_t>(kept)});
}

}  // namespace diopi::ops::both
