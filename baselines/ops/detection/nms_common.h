// Boxes [x1, y1, x2, y2] and their overlap, shared by the CPU and the NVIDIA reference.
#ifndef BASELINES_OPS_DETECTION_NMS_COMMON_H_
#define BASELINES_OPS_DETECTION_NMS_COMMON_H_

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

template <typename C>
DIOPI_HD C Greater(const C& a, const C& b) {
  return a < b ? b : a;
}
template <typename C>
DIOPI_HD C Smaller(const C& a, const C& b) {
  return b < a ? b : a;
}

template <typename C>
DIOPI_HD C Area(const C* box) {
  return (box[2] - box[0]) * (box[3] - box[1]);
}

// Intersection over union; NaN for two boxes without area.
template <typename C>
DIOPI_HD C Overlap(const C* a, const C* b) {
  const C width = Greater(C(0), Smaller(a[2], b[2]) - Greater(a[0], b[0]));
  const C height = Greater(C(0), Smaller(a[3], b[3]) - Greater(a[1], b[1]));
  const C shared = width * height;
  return shared / (Area(a) + Area(b) - shared);
}

inline void CheckBoxes(const Tensor& boxes, const Tensor& scores) {
  Check(boxes.rank() == 2 && boxes.size(1) == 4, "expected boxes of shape (count, 4), got ",
        ShapeText(boxes.shape()));
  CheckShape(scores, {boxes.size(0)}, "confidence");
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_DETECTION_NMS_COMMON_H_
