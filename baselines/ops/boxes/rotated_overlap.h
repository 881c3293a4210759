// The area that two convex polygons of four corners share: one is clipped by each side of the other, and what
// is left is added up in triangles.
#ifndef BASELINES_OPS_BOXES_ROTATED_OVERLAP_H_
#define BASELINES_OPS_BOXES_ROTATED_OVERLAP_H_

#include <cmath>

#include "baselines/ops/both.h"

namespace diopi::ops::both {

template <typename C>
struct Corner {
  C x = C(0), y = C(0);
  DIOPI_HD Corner operator-(const Corner& other) const { return {x - other.x, y - other.y}; }
};

template <typename C>
DIOPI_HD C Cross(const Corner<C>& a, const Corner<C>& b) {
  return a.x * b.y - b.x * a.y;
}

// At most nine corners of a hull, and one more for each of the four sides that clip it.
template <typename C>
struct ConvexPolygon {
  static constexpr int kMost = 13;
  Corner<C> corners[kMost];
  int count = 0;

  DIOPI_HD void Add(const Corner<C>& corner) {
    if (count < kMost) corners[count++] = corner;
  }
  // Twice the area, positive where the corners turn from the x axis towards the y axis.
  DIOPI_HD C TwiceArea() const {
    C sum = C(0);
    for (int i = 1; i + 1 < count; ++i) sum += Cross(corners[i] - corners[0], corners[i + 1] - corners[0]);
    return sum;
  }
  // What lies on the left of the line from a to b, or where `side` is -1 on its right.
  DIOPI_HD ConvexPolygon Clipped(const Corner<C>& a, const Corner<C>& b, const C& side) const {
    ConvexPolygon left;
    for (int i = 0; i < count; ++i) {
      const Corner<C>&p = corners[i], &q = corners[(i + 1) % count];
      const C at_p = side * Cross(b - a, p - a), at_q = side * Cross(b - a, q - a);
      const bool inside = !(at_p < C(0));
      if (inside) left.Add(p);
      if (inside == !(at_q < C(0))) continue;
      const C part = at_p / (at_p - at_q);
      left.Add({p.x + (q.x - p.x) * part, p.y + (q.y - p.y) * part});
    }
    return left;
  }
};

template <typename C>
DIOPI_HD C SharedArea(const ConvexPolygon<C>& a, const ConvexPolygon<C>& b) {
  ConvexPolygon<C> shared = a;
  const C side = b.TwiceArea() < C(0) ? C(-1) : C(1);
  for (int i = 0; i < 4 && shared.count > 0; ++i)
    shared = shared.Clipped(b.corners[i], b.corners[(i + 1) % 4], side);
  using std::abs;
  return abs(shared.TwiceArea()) * C(0.5);
}

// The corners of a box with this centre, turned from the x axis towards the y axis.
template <typename C>
DIOPI_HD ConvexPolygon<C> TurnedBox(const C& x, const C& y, const C& width, const C& height, const C& angle) {
  using std::cos;
  using std::sin;
  const C along = cos(angle), across = sin(angle), half = C(0.5);
  ConvexPolygon<C> box;
  for (int i = 0; i < 4; ++i) {
    const C right = i == 1 || i == 2 ? width * half : -(width * half);
    const C up = i > 1 ? height * half : -(height * half);
    box.Add({x + (right * along - up * across), y + (right * across + up * along)});
  }
  return box;
}

// A shared area as a part of the union (mode 0) or of the first box (mode 1); boxes without area share
// nothing.
template <typename C>
DIOPI_HD C PartOf(const C& shared, const C& area_a, const C& area_b, int64_t mode) {
  return shared / (mode == 1 ? area_a : area_a + area_b - shared);
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_BOXES_ROTATED_OVERLAP_H_
