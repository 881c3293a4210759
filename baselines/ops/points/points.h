// What the functions of point clouds share: points are rows of three coordinates.
#ifndef BASELINES_OPS_POINTS_POINTS_H_
#define BASELINES_OPS_POINTS_POINTS_H_

#include "baselines/ops/both.h"

namespace diopi::ops::both {

// The square of the distance between point i of a and point j of b.
template <typename C>
DIOPI_HD C SquaredDistance(const In<C>& a, int64_t i, const In<C>& b, int64_t j) {
  const C x = a[3 * i] - b[3 * j], y = a[3 * i + 1] - b[3 * j + 1], z = a[3 * i + 2] - b[3 * j + 2];
  return x * x + y * y + z * z;
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_POINTS_POINTS_H_
