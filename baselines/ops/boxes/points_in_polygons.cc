// Points in quadrilaterals: a point lies inside where a ray to its right meets an odd number of sides.
#include "baselines/ops/both.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct PolygonFlags {
  Out<C> out;
  In<C> points, polygons;
  int64_t count;  // of polygons

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t polygon = 8 * (i % count);
    const C x = points[2 * (i / count)], y = points[2 * (i / count) + 1];
    bool inside = false;
    for (int64_t k = 0; k < 4; ++k) {
      if (MetByRay(polygon + 2 * k, polygon + 2 * ((k + 3) % 4), x, y)) inside = !inside;
    }
    out.Set(i, inside ? C(1) : C(0));
  }

 private:
  // Whether the ray meets the side between the corners at `s` and `t`, of which the lower end does not count.
  DIOPI_HD bool MetByRay(int64_t s, int64_t t, const C& x, const C& y) const {
    const C low = polygons[s + 1], high = polygons[t + 1];
    if ((low < y) == (high < y)) return false;
    return polygons[s] + (y - low) * (polygons[t] - polygons[s]) / (high - low) > x;
  }
};

}  // namespace

DIOPI_KERNEL(diopiPointsInPolygonsMmcv, a) {
  const Tensor out(a.output), points(a.points), polygons(a.polygons);
  const int64_t rows = points.size(0), count = polygons.size(0);
  CheckShape(points, {rows, 2}, "points");
  CheckShape(polygons, {count, 8}, "polygons");
  CheckShape(out, {rows, count}, "output");
  DispatchFloating(ResultType(out, {points, polygons}), [&]<typename C>() {
    ForEach(Queue(a.ctx), rows * count, PolygonFlags<C>{Out<C>(out), In<C>(points), In<C>(polygons), count});
  });
}

}  // namespace diopi::ops::both
