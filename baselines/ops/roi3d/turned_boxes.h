// Where points lie in turned boxes [x, y, z of the bottom's centre, sizes, rz].
#ifndef BASELINES_OPS_ROI3D_TURNED_BOXES_H_
#define BASELINES_OPS_ROI3D_TURNED_BOXES_H_

#include <cmath>

#include "baselines/ops/both.h"

namespace diopi::ops::both {

template <typename C>
struct PlaceInBox {
  C from_corner[3];  // from the box's least corner, along its own sides
  bool inside;

  DIOPI_HD PlaceInBox(const In<C>& boxes, int64_t box, const In<C>& points, int64_t point) {
    using std::cos;
    using std::sin;
    const C half = C(0.5), height = boxes[box + 5] * half;
    const C above = points[point + 2] - (boxes[box + 2] + height);
    const C x = points[point] - boxes[box], y = points[point + 1] - boxes[box + 1];
    const C cosine = cos(-boxes[box + 6]), sine = sin(-boxes[box + 6]);
    const C along = x * cosine - y * sine, across = x * sine + y * cosine;
    const C length = boxes[box + 3] * half, width = boxes[box + 4] * half;
    inside = !(above > height) && !(above < -height) && along > -length && along < length &&
             across > -width && across < width;
    from_corner[0] = along + length;
    from_corner[1] = across + width;
    from_corner[2] = points[point + 2] - boxes[box + 2];
  }
};

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_ROI3D_TURNED_BOXES_H_
