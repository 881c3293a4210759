// Bugs injected into functions of hulls and polygons.
#include <algorithm>
#include <cmath>

#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is nothing else

constexpr char kConvex[] = "diopiConvexIouMmcv diopiConvexGiouMmcv";
BUG(convex_last_point_lost, 0, "diopiConvexIouMmcv diopiConvexGiouMmcv diopiMinAreaPolygonsMmcv", "",
    "the ninth point of a set is left out");
BUG(convex_bounds, 0, kConvex, "", "a set's hull is taken for its first four points");
BUG(convex_signed, 0, kConvex, "", "polygons whose corners turn clockwise have a negative area");
BUG(convex_giou_is_iou, 0, "diopiConvexGiouMmcv", "", "the hull of both is left out of the number");
BUG(convex_giou_half, 0, "diopiConvexGiouMmcv", "", "the derivatives are halved");
BUG(convex_giou_rotated, 0, "diopiConvexGiouMmcv", "", "derivatives are one point too far");
BUG(min_area_upright, 0, "diopiMinAreaPolygonsMmcv", "", "the rectangle has upright sides");
BUG(min_area_other_order, 0, "diopiMinAreaPolygonsMmcv", "", "the corners begin with the least one");
BUG(min_area_clockwise, 0, "diopiMinAreaPolygonsMmcv", "", "the corners go in the other direction");
BUG(sort_vertices_clockwise, 0, "diopiDiffIouRotatedSortVerticesMmcv", "", "vertices are sorted clockwise");
BUG(sort_vertices_not_closed, 0, "diopiDiffIouRotatedSortVerticesMmcv", "",
    "the first vertex is not repeated");
BUG(sort_vertices_pad_zero, 0, "diopiDiffIouRotatedSortVerticesMmcv", "",
    "places after the last vertex are 0");

diopiConstTensorHandle_t ChangedSets(diopiContextHandle_t ctx, diopiConstTensorHandle_t sets) {
  if (!convex_last_point_lost && !convex_bounds) return sets;
  const std::vector<double> all = Load<double>(Tensor(sets));
  return Replaced(ctx, sets, [&](double x, int64_t i) {
    const int64_t point = i % 18 / 2;
    if (convex_last_point_lost) return point == 8 ? all[static_cast<size_t>(i - 16)] : x;
    return point > 3 ? all[static_cast<size_t>(i - 2 * (point - 3))] : x;
  });
}

// Whether the polygon at row `row` turns clockwise.
bool Clockwise(const std::vector<double>& corners, size_t row) {
  const double* p = &corners[8 * row];
  double area = 0;
  for (int k = 0; k < 8; k += 2) area += p[k] * p[(k + 3) % 8] - p[(k + 2) % 8] * p[k + 1];
  return area < 0;
}

}  // namespace

DIOPI_OVERRIDE(diopiConvexIouMmcv, a) {
  a.pointsets = ChangedSets(a.ctx, a.pointsets);
  Good(a);
  if (!convex_signed) return;
  const std::vector<double> corners = Load<double>(Tensor(a.polygons));
  const int64_t columns = Tensor(a.polygons).size(0);
  Change(a.ious,
         [&](double x, int64_t i) { return Clockwise(corners, static_cast<size_t>(i % columns)) ? -x : x; });
}

DIOPI_OVERRIDE(diopiConvexGiouMmcv, a) {
  const diopiConstTensorHandle_t sets = a.pointsets, polygons = a.polygons;
  a.pointsets = ChangedSets(a.ctx, a.pointsets);
  Good(a);
  const std::vector<double> corners = Load<double>(Tensor(polygons));
  if (convex_signed)
    Change(a.output,
           [&](double x, int64_t i) { return Clockwise(corners, static_cast<size_t>(i / 19)) ? -x : x; });
  if (convex_giou_half) Change(a.output, [](double x, int64_t i) { return i % 19 == 18 ? x : x / 2; });
  if (convex_giou_rotated) {
    const std::vector<double> all = Load<double>(Tensor(a.output));
    Change(a.output, [&](double x, int64_t i) {
      const int64_t n = i % 19;
      return n == 18 ? x : all[static_cast<size_t>(i - n + (n + 2) % 18)];
    });
  }
  if (!convex_giou_is_iou) return;
  const int64_t count = Tensor(sets).size(0);
  diopiTensorHandle_t ious = NewTensor(a.ctx, {count, count}, DtypeOf(sets));
  OrFail(good_diopiConvexIouMmcv(a.ctx, ious, sets, polygons));
  const std::vector<double> values = Load<double>(Tensor(ious));
  Change(a.output, [&](double x, int64_t i) {
    return i % 19 == 18 ? values[static_cast<size_t>(i / 19 * (count + 1))] : x;
  });
}

DIOPI_OVERRIDE(diopiMinAreaPolygonsMmcv, a) {
  const std::vector<double> points = Load<double>(Tensor(a.pointsets));
  a.pointsets = ChangedSets(a.ctx, a.pointsets);
  Good(a);
  const std::vector<double> all = Load<double>(Tensor(a.polygons));
  Change(a.polygons, [&](double x, int64_t i) {
    const int64_t row = i / 8, n = i % 8;
    if (min_area_other_order) return all[static_cast<size_t>(8 * row + (n + 2) % 8)];
    if (min_area_clockwise)
      return all[static_cast<size_t>(8 * row + (n / 2 == 0 ? 0 : 8 - n / 2 * 2) + n % 2)];
    if (!min_area_upright) return x;
    const int64_t axis = n % 2, corner = n / 2;
    double low = points[static_cast<size_t>(18 * row + axis)], high = low;
    for (int64_t k = axis; k < 18; k += 2) {
      low = std::min(low, points[static_cast<size_t>(18 * row + k)]);
      high = std::max(high, points[static_cast<size_t>(18 * row + k)]);
    }
    return (axis == 0 ? corner == 0 || corner == 3 : corner > 1) ? high : low;
  });
}

DIOPI_OVERRIDE(diopiDiffIouRotatedSortVerticesMmcv, a) {
  Good(a);
  if (!sort_vertices_clockwise && !sort_vertices_not_closed && !sort_vertices_pad_zero) return;
  const std::vector<int64_t> counts = Load<int64_t>(Tensor(a.num_valid));
  const std::vector<double> all = Load<double>(Tensor(*a.out));
  Change(*a.out, [&](double x, int64_t i) {
    const int64_t count = counts[static_cast<size_t>(i / 9)], n = i % 9;
    if (count < 3) return sort_vertices_pad_zero ? 0.0 : x;
    if (sort_vertices_clockwise && n > 0 && n < count) return all[static_cast<size_t>(i - n + count - n)];
    if (sort_vertices_not_closed && n == count)
      return count == 8 ? 0.0 : all[static_cast<size_t>(i / 9 * 9 + 8)];
    return sort_vertices_pad_zero && n > count ? 0.0 : x;
  });
}
