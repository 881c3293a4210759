// The smallest rectangle around points: one of its sides lies on a side of their hull.
#include <numbers>

#include "baselines/ops/polygons/hull.h"

namespace diopi::ops::both {
namespace {

// A rectangle whose sides are turned by an angle, in turned coordinates.
template <typename C>
struct TurnedBounds {
  C along, across;  // cosine and sine
  C least[2], greatest[2];

  DIOPI_HD C Area() const { return (greatest[0] - least[0]) * (greatest[1] - least[1]); }
  DIOPI_HD Corner<C> At(const C& x, const C& y) const {
    return {x * along - y * across, x * across + y * along};
  }
};

template <typename C>
struct SmallestRectangles {
  Out<C> out;
  In<C> sets;

  DIOPI_HD void operator()(int64_t set) const {
    Corner<C> points[kPointsOfSet];
    LoadCorners(sets, 2 * kPointsOfSet * set, kPointsOfSet, points);
    int hull[kPointsOfSet];
    const int size = HullOf(points, kPointsOfSet, hull);
    TurnedBounds<C> best = BoundsAlong(points, hull, size, 0);
    for (int i = 1; i < size; ++i) {
      const TurnedBounds<C> bounds = BoundsAlong(points, hull, size, i);
      if (bounds.Area() < best.Area()) best = bounds;
    }
    const Corner<C> corners[] = {
        best.At(best.greatest[0], best.least[1]), best.At(best.least[0], best.least[1]),
        best.At(best.least[0], best.greatest[1]), best.At(best.greatest[0], best.greatest[1])};
    for (int i = 0; i < kCornersOfPolygon; ++i) {
      out.Set(2 * kCornersOfPolygon * set + 2 * i, corners[i].x);
      out.Set(2 * kCornersOfPolygon * set + 2 * i + 1, corners[i].y);
    }
  }

 private:
  DIOPI_HD static TurnedBounds<C> BoundsAlong(const Corner<C>* points, const int* hull, int size, int side) {
    using std::atan2;
    using std::cos;
    using std::floor;
    using std::sin;
    const Corner<C> edge = points[hull[(side + 1) % size]] - points[hull[side]];
    const C quarter = Rounded<C>(std::numbers::pi / 2);
    C angle = atan2(edge.y, edge.x);
    angle = angle - quarter * floor(angle / quarter);
    TurnedBounds<C> bounds;
    bounds.along = cos(angle);
    bounds.across = sin(angle);
    for (int i = 0; i < size; ++i) {
      const Corner<C>& p = points[hull[i]];
      const C turned[] = {bounds.along * p.x + bounds.across * p.y, bounds.along * p.y - bounds.across * p.x};
      for (int d = 0; d < 2; ++d) {
        if (i == 0 || turned[d] < bounds.least[d]) bounds.least[d] = turned[d];
        if (i == 0 || turned[d] > bounds.greatest[d]) bounds.greatest[d] = turned[d];
      }
    }
    return bounds;
  }
};

}  // namespace

DIOPI_KERNEL(diopiMinAreaPolygonsMmcv, a) {
  const Tensor out(a.polygons), sets(a.pointsets);
  CheckSets(sets, 2 * kPointsOfSet, "pointsets");
  CheckShape(out, {sets.size(0), 2 * kCornersOfPolygon}, "polygons");
  DispatchFloating(ResultType(out, {sets}), [&]<typename C>() {
    ForEach(Queue(a.ctx), sets.size(0), SmallestRectangles<C>{Out<C>(out), In<C>(sets)});
  });
}

}  // namespace diopi::ops::both
