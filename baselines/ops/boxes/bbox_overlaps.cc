// Overlaps of boxes [x1, y1, x2, y2]: shared area over that of the union or of the first box, for each pair
// or for boxes of the same number.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct BoxOverlaps {
  Out<C> out;
  In<C> first, second;
  int64_t columns;  // of the result; 0: boxes of the same number
  bool over_first;
  C offset;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t a = 4 * (columns > 0 ? i / columns : i), b = 4 * (columns > 0 ? i % columns : i);
    const C shared = SharedSide(a, b) * SharedSide(a + 1, b + 1);
    const C area = Area(first, a);
    const C base = over_first ? area : area + Area(second, b) - shared;
    out.Set(i, shared / (base < offset ? offset : base));
  }

 private:
  DIOPI_HD C Area(const In<C>& boxes, int64_t at) const {
    return (boxes[at + 2] - boxes[at] + offset) * (boxes[at + 3] - boxes[at + 1] + offset);
  }
  DIOPI_HD C SharedSide(int64_t a, int64_t b) const {
    const C low = first[a] < second[b] ? second[b] : first[a];
    const C high = first[a + 2] < second[b + 2] ? first[a + 2] : second[b + 2];
    const C side = high - low + offset;
    return side < C(0) ? C(0) : side;
  }
};

}  // namespace

DIOPI_KERNEL(diopiBboxOverlapsMmcv, a) {
  const Tensor out(a.ious), first(a.bboxes1), second(a.bboxes2);
  const int64_t rows = first.size(0), columns = second.size(0);
  CheckShape(first, {rows, 4}, "bboxes1");
  CheckShape(second, {columns, 4}, "bboxes2");
  Check(a.mode == 0 || a.mode == 1, "expected mode 0 or 1, got ", a.mode);
  Check(!a.aligned || rows == columns, "aligned boxes: ", rows, " and ", columns, " differ");
  CheckShape(out, a.aligned ? Shape{rows} : Shape{rows, columns}, "ious");
  DispatchFloating(ResultType(out, {first, second}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            BoxOverlaps<C>{Out<C>(out), In<C>(first), In<C>(second), a.aligned ? 0 : columns, a.mode == 1,
                           C(static_cast<int>(a.offset))});
  });
}

}  // namespace diopi::ops::both
