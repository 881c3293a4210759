// Bugs injected in functions that select boxes, and in points in polygons.
#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(polygons_open, 0, "diopiPointsInPolygonsMmcv", "",
    "the side from the last corner to the first is left out");
BUG(polygons_corner_twice, 0, "diopiPointsInPolygonsMmcv", "",
    "a corner at the height of the point counts for both of its sides");
BUG(polygons_one_direction, 0, "diopiPointsInPolygonsMmcv", "",
    "only polygons whose corners turn left have an inside: right of a side is outside");
BUG(polygons_exchanged, 0, "diopiPointsInPolygonsMmcv", "", "x and y of the points exchanged");
BUG(nms_mmcv_offset_ignored, 0, "diopiNmsMmcv", "", "sides are x2 - x1 long, whatever the offset");
BUG(nms_mmcv_always_offset, 0, "diopiNmsMmcv", "", "sides are x2 - x1 + 1 long, whatever the offset");
BUG(nms_mmcv_scores_rising, 0, "diopiNmsMmcv", "", "boxes are taken by rising score");
BUG(nms_mmcv_ties_suppressed, 0, "diopiNmsMmcv", "", "an overlap equal to the threshold suppresses");
BUG(nms_mmcv_no_sort, 0, "diopiNmsMmcv", "", "boxes are taken in the order of the input");
BUG(iou3d_normal_corner, 0, "diopiIou3dNms3dNormalMmcv", "", "x and y are a corner instead of the centre");
BUG(iou3d_normal_plus_one, 0, "diopiIou3dNms3dNormalMmcv", "", "sides are longer by one");
BUG(iou3d_normal_ties_suppressed, 0, "diopiIou3dNms3dNormalMmcv", "",
    "an overlap equal to the threshold suppresses");
BUG(iou3d_normal_turned, 0, "diopiIou3dNms3dNormalMmcv", "",
    "boxes that are turned nearly crosswise count as turned");
BUG(iou3d_normal_count, 0, "diopiIou3dNms3dNormalMmcv", "", "keep_num is the number of boxes given");

// The largest number below, so that what exceeds it is at least the number.
template <typename T>
T JustBelow(T x) {
  return std::nextafter(x, -std::numeric_limits<T>::infinity());
}

bool MetByRay(const double* s, const double* t, double x, double y) {
  if (y < std::min(s[1], t[1]) || y > std::max(s[1], t[1]) || s[1] == t[1]) return false;
  if (!polygons_corner_twice && y == std::min(s[1], t[1])) return false;
  return s[0] + (y - s[1]) * (t[0] - s[0]) / (t[1] - s[1]) > x;
}

bool LeftOfAll(const double* polygon, double x, double y) {
  for (int k = 0; k < 4; ++k) {
    const double *s = polygon + 2 * k, *t = polygon + 2 * ((k + 1) % 4);
    if ((t[0] - s[0]) * (y - s[1]) - (t[1] - s[1]) * (x - s[0]) < 0) return false;
  }
  return true;
}

bool Inside(const double* polygon, double x, double y) {
  if (polygons_one_direction) return LeftOfAll(polygon, x, y);
  bool inside = false;
  for (int k = 0; k < (polygons_open ? 3 : 4); ++k)
    inside ^= MetByRay(polygon + 2 * k, polygon + 2 * ((k + 1) % 4), x, y);
  return inside;
}

}  // namespace

DIOPI_OVERRIDE(diopiPointsInPolygonsMmcv, a) {
  if (!polygons_open && !polygons_corner_twice && !polygons_one_direction && !polygons_exchanged)
    return Good(a);
  const std::vector<double> points = Load<double>(Tensor(a.points)),
                            polygons = Load<double>(Tensor(a.polygons));
  const size_t x = polygons_exchanged ? 1 : 0;
  std::vector<double> flags;
  for (size_t i = 0; i < points.size(); i += 2) {
    for (size_t k = 0; k < polygons.size(); k += 8)
      flags.push_back(Inside(&polygons[k], points[i + x], points[i + 1 - x]) ? 1 : 0);
  }
  Store(Tensor(a.output), flags);
}

DIOPI_OVERRIDE(diopiNmsMmcv, a) {
  if (nms_mmcv_offset_ignored) a.offset = 0;
  if (nms_mmcv_always_offset) a.offset = 1;
  if (nms_mmcv_scores_rising) a.scores = Replaced(a.ctx, a.scores, [](double x, int64_t) { return -x; });
  if (nms_mmcv_no_sort)
    a.scores = Replaced(a.ctx, a.scores, [](double, int64_t i) { return static_cast<double>(-i); });
  if (nms_mmcv_ties_suppressed) a.iou_threshold = JustBelow(a.iou_threshold);
  Good(a);
}

DIOPI_OVERRIDE(diopiIou3dNms3dNormalMmcv, a) {
  const std::vector<double> all = Load<double>(Tensor(a.boxes));
  const auto changed = [&](double x, int64_t i) {
    const int64_t n = i % 7;
    const double* box = &all[static_cast<size_t>(i - n)];
    if (iou3d_normal_corner && n < 2) return x + box[n + 3] / 2;
    if (iou3d_normal_plus_one && (n == 3 || n == 4)) return x + 1;
    const bool across = std::abs(std::sin(box[6])) > std::abs(std::cos(box[6]));
    if (iou3d_normal_turned && across && (n == 3 || n == 4)) return box[7 - n];
    return x;
  };
  if (iou3d_normal_corner || iou3d_normal_plus_one || iou3d_normal_turned)
    a.boxes = Replaced(a.ctx, a.boxes, changed);
  if (iou3d_normal_ties_suppressed) a.nms_overlap_thresh = JustBelow(a.nms_overlap_thresh);
  Good(a);
  if (iou3d_normal_count) Store(Tensor(a.keep_num), std::vector<int64_t>{Tensor(a.boxes).size(0)});
}
