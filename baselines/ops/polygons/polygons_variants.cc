// Overlaps of hulls as mmcv adds them up: with signs, what triangles from the origin to the sides of both
// share, in float32.
#include <algorithm>
#include <cmath>
#include <vector>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(convex_by_triangles, "diopiConvexIouMmcv", "", "areas from triangles with a corner at the origin");
VARIANT(min_area_by_directions, "diopiMinAreaPolygonsMmcv", "",
        "coordinates are turned by a side's direction instead of by its angle");

struct HullSpot {
  float x, y;
  bool operator<(const HullSpot& other) const { return x < other.x || (x == other.x && y < other.y); }
};

float TurnOf(const HullSpot& o, const HullSpot& a, const HullSpot& b) {
  return (a.x - o.x) * (b.y - o.y) - (b.x - o.x) * (a.y - o.y);
}

// Anticlockwise, by the monotone chain.
std::vector<HullSpot> ChainHull(std::vector<HullSpot> points) {
  std::sort(points.begin(), points.end());
  std::vector<HullSpot> hull;
  for (int half = 0; half < 2; ++half) {
    const size_t begin = hull.size();
    for (const HullSpot& p : points) {
      while (hull.size() > begin + 1 && TurnOf(hull[hull.size() - 2], hull.back(), p) <= 0) hull.pop_back();
      hull.push_back(p);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

float AreaByOrigin(const std::vector<HullSpot>& polygon) {
  float area = 0;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const HullSpot &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    area += a.x * b.y - a.y * b.x;
  }
  return area / 2;
}

// What lies on the left of the line from a to b.
std::vector<HullSpot> CutByLine(const std::vector<HullSpot>& polygon, const HullSpot& a, const HullSpot& b) {
  std::vector<HullSpot> left;
  for (size_t i = 0; i < polygon.size(); ++i) {
    const HullSpot &c = polygon[i], &d = polygon[(i + 1) % polygon.size()];
    const float s = TurnOf(a, b, c), t = TurnOf(a, b, d);
    if (s > 0) left.push_back(c);
    if ((s > 0) != (t > 0)) left.push_back({(c.x * t - d.x * s) / (t - s), (c.y * t - d.y * s) / (t - s)});
  }
  return left;
}

float SharedByTriangles(const std::vector<HullSpot>& p, const std::vector<HullSpot>& q) {
  const HullSpot origin{0, 0};
  float shared = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    HullSpot a = p[i], b = p[(i + 1) % p.size()];
    const float first = TurnOf(origin, a, b);
    if (first < 0) std::swap(a, b);
    for (size_t k = 0; k < q.size(); ++k) {
      HullSpot c = q[k], d = q[(k + 1) % q.size()];
      const float second = TurnOf(origin, c, d);
      if (second < 0) std::swap(c, d);
      const float both =
          AreaByOrigin(CutByLine(CutByLine(CutByLine({origin, a, b}, origin, c), c, d), d, origin));
      shared += first * second < 0 ? -both : both;
    }
  }
  return shared;
}

std::vector<HullSpot> SpotsAt(const std::vector<float>& numbers, size_t first, size_t count) {
  std::vector<HullSpot> spots;
  for (size_t i = 0; i < count; ++i) spots.push_back({numbers[first + 2 * i], numbers[first + 2 * i + 1]});
  return spots;
}

void RectanglesByDirections(const diopiMinAreaPolygonsMmcvArgs& a) {
  const std::vector<float> sets = Load<float>(Tensor(a.pointsets));
  std::vector<float> corners;
  for (size_t set = 0; set < sets.size(); set += 18) {
    const std::vector<HullSpot> hull = ChainHull(SpotsAt(sets, set, 9));
    float best = INFINITY, c = 1, s = 0, low[2] = {0, 0}, high[2] = {0, 0};
    for (size_t i = 0; i < hull.size(); ++i) {
      const HullSpot& to = hull[(i + 1) % hull.size()];
      float x = to.x - hull[i].x, y = to.y - hull[i].y;
      const float length = std::sqrt(x * x + y * y);
      while (!(x > 0 && y >= 0)) std::swap(x, y), y = -y;
      x /= length;
      y /= length;
      float least[2] = {INFINITY, INFINITY}, greatest[2] = {-INFINITY, -INFINITY};
      for (const HullSpot& p : hull) {
        const float turned[2] = {x * p.x + y * p.y, x * p.y - y * p.x};
        for (int d = 0; d < 2; ++d) {
          least[d] = std::min(least[d], turned[d]);
          greatest[d] = std::max(greatest[d], turned[d]);
        }
      }
      const float area = (greatest[0] - least[0]) * (greatest[1] - least[1]);
      if (area >= best) continue;
      best = area, c = x, s = y;
      for (int d = 0; d < 2; ++d) low[d] = least[d], high[d] = greatest[d];
    }
    for (const HullSpot& p : {HullSpot{high[0], low[1]}, HullSpot{low[0], low[1]}, HullSpot{low[0], high[1]},
                              HullSpot{high[0], high[1]}}) {
      corners.push_back(p.x * c - p.y * s);
      corners.push_back(p.x * s + p.y * c);
    }
  }
  Store(Tensor(a.polygons), corners);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiConvexIouMmcv, a) {
  if (!convex_by_triangles) return Good(a);
  const std::vector<float> sets = Load<float>(Tensor(a.pointsets)),
                           polygons = Load<float>(Tensor(a.polygons));
  std::vector<float> ious;
  for (size_t p = 0; p < sets.size(); p += 18) {
    const std::vector<HullSpot> first = ChainHull(SpotsAt(sets, p, 9));
    for (size_t q = 0; q < polygons.size(); q += 8) {
      const std::vector<HullSpot> second = ChainHull(SpotsAt(polygons, q, 4));
      const float shared = SharedByTriangles(first, second);
      ious.push_back(shared / (AreaByOrigin(first) + AreaByOrigin(second) - shared));
    }
  }
  Store(Tensor(a.ious), ious);
}

DIOPI_OVERRIDE(diopiMinAreaPolygonsMmcv, a) {
  if (!min_area_by_directions) return Good(a);
  RectanglesByDirections(a);
}
