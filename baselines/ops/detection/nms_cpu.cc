// nms: keeps, of boxes that overlap too much, the one with the highest score. Boxes are [x1, y1, x2, y2]; the
// indices are in order of falling score, equal scores in the order of the input.
#include <algorithm>

#include "baselines/ops/detection/nms_common.h"
#include "baselines/ops/support/sort_lines.h"

namespace diopi::ops {
namespace {

template <typename C>
std::vector<int64_t> KeptBoxes(const std::vector<C>& boxes, const std::vector<C>& scores, double threshold) {
  std::vector<int64_t> kept;
  for (const int64_t i : SortedOrder(scores, 0, 1, static_cast<int64_t>(scores.size()), true)) {
    const C* box = &boxes[static_cast<size_t>(4 * i)];
    const bool covered = std::any_of(kept.begin(), kept.end(), [&](int64_t better) {
      return ToDouble(Overlap(&boxes[static_cast<size_t>(4 * better)], box)) > threshold;
    });
    if (!covered) kept.push_back(i);
  }
  return kept;
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiNms, a) {
  using namespace diopi::ops;
  const Tensor corners(a.boxes), scores(a.confidence);
  CheckBoxes(corners, scores);
  DispatchFloating(ResultType(Tensor(), {corners, scores}), [&]<typename C>() {
    const std::vector<int64_t> kept = KeptBoxes(Load<C>(corners), Load<C>(scores), a.iou_threshold);
    *a.out = RequireTensor(a.ctx, Shape{static_cast<int64_t>(kept.size())}, diopi_dtype_int64);
    Store(Tensor(*a.out), kept);
  });
}
