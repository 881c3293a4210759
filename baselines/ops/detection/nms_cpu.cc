// nms: of boxes that overlap too much the one with the highest score is kept. Boxes are [x1, y1, x2, y2]; the
// indices come out by falling score, equal scores in the order of the input.
#include <algorithm>

#include "baselines/ops/sort/sort_common.h"

namespace diopi::ops {
namespace {

template <typename C>
C Area(const C* box) {
  return (box[2] - box[0]) * (box[3] - box[1]);
}

// Intersection over union; NaN for two boxes without area.
template <typename C>
C Overlap(const C* a, const C* b) {
  const C width = std::max(C(0), std::min(a[2], b[2]) - std::max(a[0], b[0]));
  const C height = std::max(C(0), std::min(a[3], b[3]) - std::max(a[1], b[1]));
  const C shared = width * height;
  return shared / (Area(a) + Area(b) - shared);
}

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

extern "C" diopiError_t diopiNms(diopiContextHandle_t ctx, diopiTensorHandle_t* out,
                                 diopiConstTensorHandle_t boxes, diopiConstTensorHandle_t confidence,
                                 double iou_threshold) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    const Tensor corners(boxes), scores(confidence);
    Check(corners.rank() == 2 && corners.size(1) == 4, "expected boxes of shape (count, 4), got ",
          ShapeText(corners.shape()));
    CheckShape(scores, {corners.size(0)}, "confidence");
    DispatchFloating(ResultType(Tensor(), {corners, scores}), [&]<typename C>() {
      const std::vector<int64_t> kept = KeptBoxes(Load<C>(corners), Load<C>(scores), iou_threshold);
      *out = RequireTensor(ctx, Shape{static_cast<int64_t>(kept.size())}, diopi_dtype_int64);
      Store(Tensor(*out), kept);
    });
  });
}
