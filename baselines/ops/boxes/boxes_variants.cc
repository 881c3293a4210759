// Functions of boxes as other correct libraries compute them.
#include <algorithm>
#include <cmath>

#include "baselines/injected/injected.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(bbox_float_maximum, "diopiBboxOverlapsMmcv", "",
        "sides and areas of float64 boxes pass through float32, as in mmcv's CUDA kernel");
VARIANT(bbox_in_tensor_type, "diopiBboxOverlapsMmcv", "", "every step is rounded to the tensors' type");
VARIANT(points_by_projection, "diopiPointsInBoxesPartMmcv diopiPointsInBoxesAllMmcv", "",
        "a point is projected on the two sides in the tensors' type; every place of the result is written");

template <typename C>
std::vector<C> BoxRatios(const diopiBboxOverlapsMmcvArgs& a) {
  const diopiDtype_t dtype = Tensor(a.ious).dtype();
  const auto kept = [&](C x) {
    if (bbox_float_maximum) return static_cast<C>(static_cast<float>(x));
    return Stored(dtype, x);
  };
  const std::vector<C> first = Load<C>(Tensor(a.bboxes1)), second = Load<C>(Tensor(a.bboxes2));
  const C offset = static_cast<C>(a.offset);
  const size_t columns = a.aligned ? 1 : second.size() / 4;
  std::vector<C> ratios(static_cast<size_t>(Tensor(a.ious).numel()));
  for (size_t i = 0; i < ratios.size(); ++i) {
    const C* p = &first[4 * (i / columns)];
    const C* q = &second[4 * (a.aligned ? i : i % columns)];
    C sides[2];
    for (int d = 0; d < 2; ++d) {
      sides[d] = kept(kept(std::min(p[d + 2], q[d + 2]) - std::max(p[d], q[d])) + offset);
      sides[d] = std::max(sides[d], C(0));
    }
    const C shared = kept(sides[0] * sides[1]);
    const C area = kept((p[2] - p[0] + offset) * (p[3] - p[1] + offset));
    const C other = kept((q[2] - q[0] + offset) * (q[3] - q[1] + offset));
    ratios[i] = shared / (a.mode == 1 ? area : kept(kept(area + other) - shared));
  }
  return ratios;
}

// Whether box `b` holds the point, in C and, for 16 bits, with every product stored.
template <typename C>
bool HeldByProjection(diopiDtype_t dtype, const C* b, const C* point) {
  const C cosine = Stored(dtype, std::cos(b[6])), sine = Stored(dtype, std::sin(b[6]));
  const C x = Stored(dtype, point[0] - b[0]), y = Stored(dtype, point[1] - b[1]);
  const C along = Stored(dtype, Stored(dtype, x * cosine) + Stored(dtype, y * sine));
  const C across = Stored(dtype, Stored(dtype, y * cosine) - Stored(dtype, x * sine));
  return point[2] >= b[2] && point[2] <= b[2] + b[5] && std::abs(along) < b[3] / 2 &&
         std::abs(across) < b[4] / 2;
}

template <typename Args>
void ByProjection(const Args& a, bool all) {
  if (!points_by_projection) return Good(a);
  const Tensor out(a.box_idx_of_points), points(a.pts);
  const auto count = static_cast<size_t>(Tensor(a.boxes).size(1)),
             per_batch = static_cast<size_t>(points.size(1));
  const auto run = [&]<typename C>() {
    const std::vector<C> boxes = Load<C>(Tensor(a.boxes)), places = Load<C>(points);
    std::vector<int64_t> found;
    for (size_t i = 0; i < places.size() / 3; ++i) {
      int64_t first = -1;
      for (size_t k = count; k-- > 0;) {
        const C* box = &boxes[7 * (i / per_batch * count + (all ? count - 1 - k : k))];
        const bool held = HeldByProjection<C>(points.dtype(), box, &places[3 * i]);
        if (all) found.push_back(held ? 1 : 0);
        if (held) first = static_cast<int64_t>(k);
      }
      if (!all) found.push_back(first);
    }
    Store(out, found);
  };
  if (points.dtype() == diopi_dtype_float64) return run.template operator()<double>();
  run.template operator()<float>();
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiBboxOverlapsMmcv, a) {
  if (!bbox_float_maximum && !bbox_in_tensor_type) return Good(a);
  const Tensor out(a.ious);
  if (out.dtype() == diopi_dtype_float64) return Store(out, BoxRatios<double>(a));
  Store(out, BoxRatios<float>(a));
}
DIOPI_OVERRIDE(diopiPointsInBoxesPartMmcv, a) {
  ByProjection(a, false);
}
DIOPI_OVERRIDE(diopiPointsInBoxesAllMmcv, a) {
  ByProjection(a, true);
}
