// Features of chosen points, and of groups of them: every batch has a list of indices into its points, which
// all channels share. The gradient of a point adds up the places that chose it, in their order.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct PickPoints {
  Out<C> out;
  In<C> points;
  In<int64_t> indices;
  int64_t channels, count, places;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t plane = i / places, batch = plane / channels;
    const int64_t index = indices[batch * places + i % places];
    if (index >= 0 && index < count) out.Set(i, points[plane * count + index]);
  }
};

template <typename C>
struct SumOfPicks {
  Out<C> out;
  In<C> grad;
  In<int64_t> indices;
  int64_t channels, count, places;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t plane = i / count, batch = plane / channels;
    Sum<C> sum;
    for (int64_t place = 0; place < places; ++place) {
      if (indices[batch * places + place] == i % count) sum += grad[plane * places + place];
    }
    out.Set(i, sum.total());
  }
};

// Checks the tensors of a call, of which `picked` has a place for each index and channel, and gives the
// places of a batch. idx_shape: the batch, and its places.
template <typename Args>
int64_t PlacesOfBatch(const Args& a, Shape idx_shape, const Tensor& points, const char* points_name,
                      const Tensor& picked, const char* picked_name) {
  CheckShape(points, {a.b, a.c, a.n}, points_name);
  CheckShape(Tensor(a.idx), idx_shape, "idx");
  const int64_t places = Numel(idx_shape) / (a.b > 0 ? a.b : 1);
  idx_shape.insert(idx_shape.begin() + 1, a.c);
  CheckShape(picked, idx_shape, picked_name);
  return places;
}

template <typename Args>
void PickForward(const Args& a, const Shape& idx_shape) {
  const Tensor out(a.out), points(a.points), indices(a.idx);
  const int64_t places = PlacesOfBatch(a, idx_shape, points, "points", out, "out");
  DispatchFloating(ResultType(out, {points}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            PickPoints<C>{Out<C>(out), In<C>(points), In<int64_t>(indices), a.c, a.n, places});
  });
}

template <typename Args>
void PickBackward(const Args& a, const Shape& idx_shape) {
  const Tensor out(a.grad_points), grad(a.grad_out), indices(a.idx);
  const int64_t places = PlacesOfBatch(a, idx_shape, out, "grad_points", grad, "grad_out");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            SumOfPicks<C>{Out<C>(out), In<C>(grad), In<int64_t>(indices), a.c, a.n, places});
  });
}

}  // namespace

DIOPI_KERNEL(diopiGatherPointsMmcv, a) {
  PickForward(a, {a.b, a.npoints});
}
DIOPI_KERNEL(diopiGatherPointsBackwardMmcv, a) {
  PickBackward(a, {a.b, a.npoints});
}
DIOPI_KERNEL(diopiGroupPointsMmcv, a) {
  PickForward(a, {a.b, a.npoints, a.nsample});
}
DIOPI_KERNEL(diopiGroupPointsBackwardMmcv, a) {
  PickBackward(a, {a.b, a.npoints, a.nsample});
}

}  // namespace diopi::ops::both
