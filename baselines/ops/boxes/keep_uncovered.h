// Which of the boxes that come by falling score are kept: those that no kept box covers.
#ifndef BASELINES_OPS_BOXES_KEEP_UNCOVERED_H_
#define BASELINES_OPS_BOXES_KEEP_UNCOVERED_H_

#include "baselines/ops/both.h"

namespace diopi::ops::both {

// One box after the other, for what is kept depends on what was kept before. A kernel of one element.
struct KeepUncovered {
  Out<int64_t> keep, keep_num;
  Scratch<uint8_t> covers;  // of box i and a later box k, at i * count + k
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

// Functions with room for all indices: `covers` fills covers[i * count + k].
template <typename Args, typename F>
void KeepBoxes(const Args& a, const F& covers_of) {
  const Tensor keep(a.keep), keep_num(a.keep_num), boxes(a.boxes);
  Check(boxes.rank() == 2 && boxes.size(1) == 7, "expected boxes of shape (count, 7), got ",
        ShapeText(boxes.shape()));
  const int64_t count = boxes.size(0);
  CheckShape(keep, {count}, "keep");
  Check(keep_num.numel() == 1, "expected keep_num of 1 element, got ", keep_num.numel());
  const Queue queue(a.ctx);
  const Scratch<uint8_t> covers(queue, count * count);
  DispatchFloating(boxes.dtype(), [&]<typename C>() {
    covers_of.template operator()<C>(queue, covers, In<C>(boxes), count);
  });
  ForEach(queue, 1, KeepUncovered{Out<int64_t>(keep), Out<int64_t>(keep_num), covers, count});
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_BOXES_KEEP_UNCOVERED_H_
