// Overlaps of hulls and polygons, and the derivatives of the generalised overlap. A side of the hull moves an
// area by the part of it that bounds that area: with s from 0 at its first corner to 1 at its second, a
// corner's derivative is the outward normal, as long as the side, times the integral of 1 - s (or of s) over
// that part.
#include "baselines/ops/polygons/hull.h"

namespace diopi::ops::both {
namespace {

template <typename C>
DIOPI_HD ConvexPolygon<C> HullPolygon(const Corner<C>* points, int count, int* hull) {
  ConvexPolygon<C> polygon;
  const int size = HullOf(points, count, hull);
  for (int i = 0; i < size; ++i) polygon.Add(points[hull[i]]);
  return polygon;
}

template <typename C>
DIOPI_HD C AreaOf(const ConvexPolygon<C>& polygon) {
  using std::abs;
  return abs(polygon.TwiceArea()) * C(0.5);
}

// mmcv adds up what triangles from the origin to the sides share, with signs. Where little or nothing is
// shared they cancel, and their roundings stay: those of the triangles of the first polygon, which no shared
// part exceeds.
template <typename C>
DIOPI_HD C SharedByTriangles(const ConvexPolygon<C>& a, const ConvexPolygon<C>& b) {
  const C shared = SharedArea(a, b);
  if constexpr (kIsNoise<C>) {
    using std::fabs;
    decltype(C::v) triangles = 0;
    for (int i = 0; i < a.count; ++i)
      triangles += fabs(Cross(a.corners[i], a.corners[(i + 1) % a.count]).v) / 2;
    const auto lost = C::kUnit * triangles;
    return C::Clean(shared.v, shared.s2 + lost * lost);
  }
  return shared;
}

template <typename C>
struct HullOverlaps {
  Out<C> out;
  In<C> sets, polygons;
  int64_t columns;

  DIOPI_HD void operator()(int64_t i) const {
    Corner<C> points[kPointsOfSet];
    LoadCorners(sets, 2 * kPointsOfSet * (i / columns), kPointsOfSet, points);
    int hull[kPointsOfSet];
    const ConvexPolygon<C> first = HullPolygon(points, kPointsOfSet, hull);
    const ConvexPolygon<C> second = PolygonOf(polygons, 2 * kCornersOfPolygon * (i % columns));
    out.Set(i, PartOf<C>(SharedByTriangles(first, second), AreaOf(first), AreaOf(second), 0));
  }
};

// The derivatives of an area by the coordinates of a set's points.
template <typename C>
struct AreaSlopes {
  C x[kPointsOfSet], y[kPointsOfSet];

  DIOPI_HD AreaSlopes() {
    for (int i = 0; i < kPointsOfSet; ++i) x[i] = y[i] = C(0);
  }
  // The roundings of triangles that cancel, as in SharedByTriangles: of coordinates up to `reach`.
  DIOPI_HD void AddRoundings([[maybe_unused]] const C& reach) {
    if constexpr (kIsNoise<C>) {
      const auto lost = 2 * C::kUnit * reach.v;
      for (int i = 0; i < kPointsOfSet; ++i) {
        x[i] = C::Clean(x[i].v, x[i].s2 + lost * lost);
        y[i] = C::Clean(y[i].v, y[i].s2 + lost * lost);
      }
    }
  }
  // The side from point i to point k bounds the area where s is between `from` and `to`. Others than the
  // set's points stay.
  DIOPI_HD void Add(int i, int k, const Corner<C>& side, const C& from, const C& to) {
    const C second = (to - from) * (to + from) * C(0.5), first = to - from - second;
    AddAt(i, side, first);
    AddAt(k, side, second);
  }

 private:
  DIOPI_HD void AddAt(int i, const Corner<C>& side, const C& part) {
    if (i >= kPointsOfSet) return;
    x[i] += side.y * part;
    y[i] -= side.x * part;
  }
};

template <typename C>
struct GeneralOverlaps {
  Out<C> out;
  In<C> sets, polygons;

  DIOPI_HD void operator()(int64_t set) const {
    Corner<C> points[kMostPoints];
    LoadCorners(sets, 2 * kPointsOfSet * set, kPointsOfSet, points);
    LoadCorners(polygons, 2 * kCornersOfPolygon * set, kCornersOfPolygon, points + kPointsOfSet);
    int own[kMostPoints], both[kMostPoints];
    const ConvexPolygon<C> first = HullPolygon(points, kPointsOfSet, own);
    const ConvexPolygon<C> around = HullPolygon(points, kMostPoints, both);
    const ConvexPolygon<C> second = PolygonOf(polygons, 2 * kCornersOfPolygon * set);
    const C shared = SharedByTriangles(first, second), united = AreaOf(first) + AreaOf(second) - shared;
    const C whole = AreaOf(around);
    AreaSlopes<C> of_shared, of_first, of_whole;
    for (int i = 0; i < first.count; ++i) {
      const int p = own[i], q = own[(i + 1) % first.count];
      C from = C(0), to = C(1);
      Within(second, points[p], points[q], &from, &to);
      if (from < to) of_shared.Add(p, q, points[q] - points[p], from, to);
      of_first.Add(p, q, points[q] - points[p], C(0), C(1));
    }
    of_shared.AddRoundings(Reach(first));
    for (int i = 0; i < around.count; ++i) {
      const int p = both[i], q = both[(i + 1) % around.count];
      of_whole.Add(p, q, points[q] - points[p], C(0), C(1));
    }
    const auto slope = [&](const C& s, const C& f, const C& w) {
      const C u = f - s;  // of the union
      return s / united - shared / united / united * u + u / whole - united / whole / whole * w;
    };
    const int64_t to = set * (2 * kPointsOfSet + 1);
    for (int i = 0; i < kPointsOfSet; ++i) {
      out.Set(to + 2 * i, slope(of_shared.x[i], of_first.x[i], of_whole.x[i]));
      out.Set(to + 2 * i + 1, slope(of_shared.y[i], of_first.y[i], of_whole.y[i]));
    }
    out.Set(to + 2 * kPointsOfSet, shared / united - (whole - united) / whole);
  }

 private:
  DIOPI_HD static C Reach(const ConvexPolygon<C>& polygon) {
    using std::abs;
    C reach = C(0);
    for (int i = 0; i < polygon.count; ++i) {
      const C x = abs(polygon.corners[i].x), y = abs(polygon.corners[i].y);
      if (x > reach) reach = x;
      if (y > reach) reach = y;
    }
    return reach;
  }
  // Narrows the part of the line from p to q to what lies within a convex polygon.
  DIOPI_HD static void Within(const ConvexPolygon<C>& polygon, const Corner<C>& p, const Corner<C>& q,
                              C* from, C* to) {
    const C side = polygon.TwiceArea() < C(0) ? C(-1) : C(1);
    for (int i = 0; i < polygon.count; ++i) {
      const Corner<C>&a = polygon.corners[i], &b = polygon.corners[(i + 1) % polygon.count];
      const C at_p = side * Cross(b - a, p - a), at_q = side * Cross(b - a, q - a);
      if (at_p < C(0) && at_q < C(0)) *to = *from;
      if ((at_p < C(0)) == (at_q < C(0))) continue;
      const C crossing = at_p / (at_p - at_q);
      if (at_p < C(0)) {
        if (crossing > *from) *from = crossing;
      } else if (crossing < *to) {
        *to = crossing;
      }
    }
  }
};

}  // namespace

DIOPI_KERNEL(diopiConvexIouMmcv, a) {
  const Tensor out(a.ious), sets(a.pointsets), polygons(a.polygons);
  CheckSets(sets, 2 * kPointsOfSet, "pointsets");
  CheckSets(polygons, 2 * kCornersOfPolygon, "polygons");
  CheckShape(out, {sets.size(0), polygons.size(0)}, "ious");
  DispatchFloating(ResultType(out, {sets, polygons}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            HullOverlaps<C>{Out<C>(out), In<C>(sets), In<C>(polygons), polygons.size(0)});
  });
}

DIOPI_KERNEL(diopiConvexGiouMmcv, a) {
  const Tensor out(a.output), sets(a.pointsets), polygons(a.polygons);
  CheckSets(sets, 2 * kPointsOfSet, "pointsets");
  CheckShape(polygons, {sets.size(0), 2 * kCornersOfPolygon}, "polygons");
  CheckShape(out, {sets.size(0), 2 * kPointsOfSet + 1}, "output");
  DispatchFloating(ResultType(out, {sets, polygons}), [&]<typename C>() {
    ForEach(Queue(a.ctx), sets.size(0), GeneralOverlaps<C>{Out<C>(out), In<C>(sets), In<C>(polygons)});
  });
}

}  // namespace diopi::ops::both
