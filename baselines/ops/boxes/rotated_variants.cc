// Turned boxes as other correct libraries compute them: all corners and crossings of sides, put in order
// around their middle, in float32.
#include <algorithm>
#include <cmath>
#include <vector>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(
    rotated_crossings, "diopiBoxIouRotatedMmcv diopiIou3dBoxesOverlapBevMmcv", "",
    "the shared polygon from crossings of sides and from corners within the other box, in order of angle");
VARIANT(rotated_crossings_unmoved, "diopiBoxIouRotatedMmcv", "",
        "the same without moving the middle to the origin");

template <typename C>
struct Spot {
  C x, y;
};

template <typename C>
std::vector<Spot<C> > CornersOf(C x, C y, C width, C height, C angle) {
  const C along = std::cos(angle) * C(0.5), across = std::sin(angle) * C(0.5);
  const Spot<C> first{x - across * height - along * width, y + along * height - across * width},
      second{x + across * height - along * width, y - along * height - across * width};
  return {first, second, {2 * x - first.x, 2 * y - first.y}, {2 * x - second.x, 2 * y - second.y}};
}

template <typename C>
C Turn(const Spot<C>& o, const Spot<C>& a, const Spot<C>& b) {
  return (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
}

template <typename C>
bool Within(const std::vector<Spot<C> >& box, const Spot<C>& p) {
  const auto part = [&](const Spot<C>& o, const Spot<C>& to) {
    const C x = to.x - o.x, y = to.y - o.y;
    const C along = (p.x - o.x) * x + (p.y - o.y) * y;
    return along >= 0 && along <= x * x + y * y;
  };
  return part(box[0], box[1]) && part(box[0], box[3]);
}

template <typename C>
C SharedByCrossings(const std::vector<Spot<C> >& a, const std::vector<Spot<C> >& b) {
  std::vector<Spot<C> > found;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t k = 0; k < 4; ++k) {
      const Spot<C> u{a[(i + 1) % 4].x - a[i].x, a[(i + 1) % 4].y - a[i].y};
      const Spot<C> v{b[(k + 1) % 4].x - b[k].x, b[(k + 1) % 4].y - b[k].y};
      const C det = v.x * u.y - u.x * v.y;
      if (std::abs(det) <= C(1e-14)) continue;
      const Spot<C> w{b[k].x - a[i].x, b[k].y - a[i].y};
      const C s = (v.x * w.y - w.x * v.y) / det, t = (u.x * w.y - w.x * u.y) / det;
      if (s >= 0 && s <= 1 && t >= 0 && t <= 1) found.push_back({a[i].x + u.x * s, a[i].y + u.y * s});
    }
  }
  for (const Spot<C>& p : a) {
    if (Within(b, p)) found.push_back(p);
  }
  for (const Spot<C>& p : b) {
    if (Within(a, p)) found.push_back(p);
  }
  if (found.size() < 3) return 0;
  Spot<C> middle{0, 0};
  for (const Spot<C>& p : found) middle = {middle.x + p.x, middle.y + p.y};
  const C count = static_cast<C>(found.size());
  middle = {middle.x / count, middle.y / count};
  std::sort(found.begin(), found.end(), [&](const Spot<C>& p, const Spot<C>& q) {
    return std::atan2(p.y - middle.y, p.x - middle.x) < std::atan2(q.y - middle.y, q.x - middle.x);
  });
  C area = 0;
  for (size_t i = 1; i + 1 < found.size(); ++i) area += Turn(found[0], found[i], found[i + 1]);
  return std::abs(area) / 2;
}

template <typename C>
void OverlapsByCrossings(const diopiBoxIouRotatedMmcvArgs& a) {
  const std::vector<C> first = Load<C>(Tensor(a.bboxes1)), second = Load<C>(Tensor(a.bboxes2));
  std::vector<C> ious;
  const auto add = [&](size_t p, size_t q) {
    const C *s = &first[5 * p], *t = &second[5 * q];
    const C x = rotated_crossings_unmoved ? C(0) : (s[0] + t[0]) / 2,
            y = rotated_crossings_unmoved ? C(0) : (s[1] + t[1]) / 2;
    const C shared = SharedByCrossings(CornersOf<C>(s[0] - x, s[1] - y, s[2], s[3], s[4]),
                                       CornersOf<C>(t[0] - x, t[1] - y, t[2], t[3], t[4]));
    ious.push_back(shared / (a.mode == 1 ? s[2] * s[3] : s[2] * s[3] + t[2] * t[3] - shared));
  };
  for (size_t p = 0; p < first.size() / 5; ++p) {
    if (a.aligned) add(p, p);
    for (size_t q = 0; !a.aligned && q < second.size() / 5; ++q) add(p, q);
  }
  Store(Tensor(a.ious), ious);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiBoxIouRotatedMmcv, a) {
  if (!rotated_crossings && !rotated_crossings_unmoved) return Good(a);
  if (Tensor(a.ious).dtype() == diopi_dtype_float64) return OverlapsByCrossings<double>(a);
  OverlapsByCrossings<float>(a);
}

DIOPI_OVERRIDE(diopiIou3dBoxesOverlapBevMmcv, a) {
  if (!rotated_crossings) return Good(a);
  const std::vector<float> first = Load<float>(Tensor(a.boxes_a)), second = Load<float>(Tensor(a.boxes_b));
  std::vector<float> areas;
  for (size_t p = 0; p < first.size(); p += 7) {
    for (size_t q = 0; q < second.size(); q += 7) {
      const float *s = &first[p], *t = &second[q];
      areas.push_back(SharedByCrossings(CornersOf<float>(s[0], s[1], s[3], s[4], s[6]),
                                        CornersOf<float>(t[0], t[1], t[3], t[4], t[6])));
    }
  }
  Store(Tensor(a.ans_overlap), areas);
}
