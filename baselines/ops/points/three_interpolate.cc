// Features interpolated between three points: three weighted features are added up in order. The gradient of
// a point adds up the places that it is part of, in their order.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct InterpolateThree {
  Out<C> out;
  In<C> points, weights;
  In<int64_t> indices;
  int64_t channels, count, places;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t plane = i / places, place = plane / channels * places + i % places;
    C sum = C(0);
    for (int64_t k = 3 * place; k < 3 * place + 3; ++k) {
      const int64_t index = indices[k];
      if (index < 0 || index >= count) continue;
      const C product = weights[k] * points[plane * count + index];
      sum = k == 3 * place ? product : sum + product;
    }
    out.Set(i, sum);
  }
};

template <typename C>
struct GatherThree {
  Out<C> out;
  In<C> grad, weights;
  In<int64_t> indices;
  int64_t channels, count, places;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t plane = i / count, first = plane / channels * places * 3;
    Sum<C> sum;
    for (int64_t k = 0; k < places * 3; ++k) {
      if (indices[first + k] == i % count) sum += grad[plane * places + k / 3] * weights[first + k];
    }
    out.Set(i, sum.total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiThreeInterpolateMmcv, a) {
  const Tensor out(a.out), points(a.points), indices(a.idx), weights(a.weight);
  CheckShape(points, {a.b, a.c, a.m}, "points");
  CheckShape(indices, {a.b, a.n, 3}, "idx");
  CheckShape(weights, {a.b, a.n, 3}, "weight");
  CheckShape(out, {a.b, a.c, a.n}, "out");
  DispatchFloating(ResultType(out, {points, weights}), [&]<typename C>() {
    ForEach(
        Queue(a.ctx), out.numel(),
        InterpolateThree<C>{Out<C>(out), In<C>(points), In<C>(weights), In<int64_t>(indices), a.c, a.m, a.n});
  });
}

DIOPI_KERNEL(diopiThreeInterpolateBackwardMmcv, a) {
  const Tensor out(a.grad_points), grad(a.grad_out), indices(a.idx), weights(a.weight);
  CheckShape(grad, {a.b, a.c, a.n}, "grad_out");
  CheckShape(indices, {a.b, a.n, 3}, "idx");
  CheckShape(weights, {a.b, a.n, 3}, "weight");
  CheckShape(out, {a.b, a.c, a.m}, "grad_points");
  DispatchFloating(ResultType(out, {grad, weights}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            GatherThree<C>{Out<C>(out), In<C>(grad), In<C>(weights), In<int64_t>(indices), a.c, a.m, a.n});
  });
}

}  // namespace diopi::ops::both
