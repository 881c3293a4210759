// The hull of a few points, by wrapping: from the lowest one on, the next corner has all others on its left.
#ifndef BASELINES_OPS_POLYGONS_HULL_H_
#define BASELINES_OPS_POLYGONS_HULL_H_

#include "baselines/ops/boxes/rotated_overlap.h"

namespace diopi::ops::both {

constexpr int kPointsOfSet = 9, kCornersOfPolygon = 4, kMostPoints = kPointsOfSet + kCornersOfPolygon;

// Fills the places of the corners among `points`, anticlockwise, and gives their number.
template <typename C>
DIOPI_HD int HullOf(const Corner<C>* points, int count, int* hull) {
  int lowest = 0;
  for (int i = 1; i < count; ++i) {
    const bool level = points[i].y == points[lowest].y;
    if (points[i].y < points[lowest].y || (level && points[i].x < points[lowest].x)) lowest = i;
  }
  int size = 0, at = lowest;
  do {
    hull[size++] = at;
    int next = at == 0 ? 1 : 0;
    for (int i = 0; i < count; ++i) {
      if (i != at && i != next && Cross(points[next] - points[at], points[i] - points[at]) < C(0)) next = i;
    }
    at = next;
  } while (at != lowest && size < count);
  return size;
}

template <typename C>
DIOPI_HD void LoadCorners(const In<C>& from, int64_t first, int count, Corner<C>* to) {
  for (int64_t i = 0; i < count; ++i) to[i] = {from[first + 2 * i], from[first + 2 * i + 1]};
}

template <typename C>
DIOPI_HD ConvexPolygon<C> PolygonOf(const In<C>& from, int64_t first) {
  ConvexPolygon<C> polygon;
  LoadCorners(from, first, kCornersOfPolygon, polygon.corners);
  polygon.count = kCornersOfPolygon;
  return polygon;
}

inline void CheckSets(const Tensor& sets, int64_t numbers, const char* name) {
  Check(sets.rank() == 2 && sets.size(1) == numbers, "expected ", name, " of shape (count, ", numbers,
        "), got ", ShapeText(sets.shape()));
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_POLYGONS_HULL_H_
