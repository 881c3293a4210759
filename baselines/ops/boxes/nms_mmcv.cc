// Non-maximum suppression with mmcv's offset: a box that is `offset` wider and higher, x2 + offset and y2 +
// offset, shares with others what mmcv counts, so that diopiNms selects.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct WidenBoxes {
  Out<C> wide;
  In<C> boxes;
  C offset;

  DIOPI_HD void operator()(int64_t i) const { wide.Set(i, i % 4 < 2 ? boxes[i] : boxes[i] + offset); }
};

}  // namespace

DIOPI_KERNEL(diopiNmsMmcv, a) {
  const Tensor boxes(a.dets), scores(a.scores);
  Check(boxes.rank() == 2 && boxes.size(1) == 4, "expected dets of shape (count, 4), got ",
        ShapeText(boxes.shape()));
  CheckShape(scores, {boxes.size(0)}, "scores");
  const diopiTensorHandle_t wide = RequireTensor(a.ctx, boxes.shape(), boxes.dtype());
  DispatchFloating(boxes.dtype(), [&]<typename C>() {
    ForEach(Queue(a.ctx), boxes.numel(),
            WidenBoxes<C>{Out<C>(Tensor(wide)), In<C>(boxes), C(static_cast<int>(a.offset))});
  });
  Check(diopiNms(a.ctx, a.out, wide, a.scores, a.iou_threshold) == diopiSuccess, "diopiNms failed");
}

}  // namespace diopi::ops::both
