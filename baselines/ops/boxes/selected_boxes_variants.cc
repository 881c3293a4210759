// Functions that select boxes, and points in polygons, as other correct libraries compute them.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(polygons_ray_upwards, "diopiPointsInPolygonsMmcv", "",
        "the ray goes up instead of to the right; in float16 every step is rounded");
VARIANT(nms_mmcv_by_product, "diopiNmsMmcv", "",
        "the shared area is compared with threshold times union in float32, as in mmcv's CUDA kernel");
VARIANT(iou3d_normal_by_product, "diopiIou3dNms3dNormalMmcv", "",
        "no division: the shared area is compared with threshold times union in float32");

template <typename C>
void InPolygons(const diopiPointsInPolygonsMmcvArgs& a) {
  const Tensor out(a.output);
  const bool half = out.dtype() == diopi_dtype_float16;
  const auto kept = [&](C x) {
    return half ? static_cast<C>(FromFloat16(ToFloat16(static_cast<double>(x)))) : x;
  };
  const std::vector<C> points = Load<C>(Tensor(a.points)), polygons = Load<C>(Tensor(a.polygons));
  std::vector<C> flags;
  for (size_t i = 0; i < points.size(); i += 2) {
    const C x = points[i], y = points[i + 1];
    for (size_t k = 0; k < polygons.size(); k += 8) {
      bool inside = false;
      for (size_t c = 0; c < 8; c += 2) {
        const C *s = &polygons[k + c], *t = &polygons[k + (c + 2) % 8];
        if ((s[0] <= x) == (t[0] <= x)) continue;
        const C slope = kept(kept(t[1] - s[1]) / kept(t[0] - s[0]));
        inside ^= kept(s[1] + kept(kept(x - s[0]) * slope)) > y;
      }
      flags.push_back(inside ? C(1) : C(0));
    }
  }
  Store(out, flags);
}

// Which of the boxes [x1, y1, x2, y2] are kept, taken in this order.
std::vector<int64_t> KeptByProduct(const std::vector<float>& boxes, const std::vector<int64_t>& order,
                                   float offset, float threshold) {
  std::vector<bool> gone(order.size(), false);
  std::vector<int64_t> kept;
  for (size_t i = 0; i < order.size(); ++i) {
    if (gone[i]) continue;
    kept.push_back(order[i]);
    const float* a = &boxes[static_cast<size_t>(4 * order[i])];
    const float area = (a[2] - a[0] + offset) * (a[3] - a[1] + offset);
    for (size_t k = i + 1; k < order.size(); ++k) {
      const float* b = &boxes[static_cast<size_t>(4 * order[k])];
      const float width = std::max(std::min(a[2], b[2]) - std::max(a[0], b[0]) + offset, 0.0F);
      const float height = std::max(std::min(a[3], b[3]) - std::max(a[1], b[1]) + offset, 0.0F);
      const float shared = width * height, other = (b[2] - b[0] + offset) * (b[3] - b[1] + offset);
      if (shared > threshold * (area + other - shared)) gone[k] = true;
    }
  }
  return kept;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiPointsInPolygonsMmcv, a) {
  if (!polygons_ray_upwards) return Good(a);
  if (Tensor(a.output).dtype() == diopi_dtype_float64) return InPolygons<double>(a);
  InPolygons<float>(a);
}

DIOPI_OVERRIDE(diopiNmsMmcv, a) {
  if (!nms_mmcv_by_product) return Good(a);
  const std::vector<float> scores = Load<float>(Tensor(a.scores));
  std::vector<int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), int64_t{0});
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t k) {
    return scores[static_cast<size_t>(i)] > scores[static_cast<size_t>(k)];
  });
  const std::vector<int64_t> kept = KeptByProduct(
      Load<float>(Tensor(a.dets)), order, static_cast<float>(a.offset), static_cast<float>(a.iou_threshold));
  *a.out = RequireTensor(a.ctx, Shape{static_cast<int64_t>(kept.size())}, diopi_dtype_int64);
  Store(Tensor(*a.out), kept);
}

DIOPI_OVERRIDE(diopiIou3dNms3dNormalMmcv, a) {
  if (!iou3d_normal_by_product) return Good(a);
  const std::vector<float> given = Load<float>(Tensor(a.boxes));
  std::vector<float> corners;
  for (size_t i = 0; i < given.size(); i += 7) {
    for (const float side : {-0.5F, 0.5F}) {
      corners.push_back(given[i] + side * given[i + 3]);
      corners.push_back(given[i + 1] + side * given[i + 4]);
    }
  }
  std::vector<int64_t> order(given.size() / 7);
  std::iota(order.begin(), order.end(), int64_t{0});
  const std::vector<int64_t> kept = KeptByProduct(corners, order, 0, a.nms_overlap_thresh);
  std::vector<int64_t> keep = Load<int64_t>(Tensor(a.keep));
  std::copy(kept.begin(), kept.end(), keep.begin());
  Store(Tensor(a.keep), keep);
  Store(Tensor(a.keep_num), std::vector<int64_t>{static_cast<int64_t>(kept.size())});
}
