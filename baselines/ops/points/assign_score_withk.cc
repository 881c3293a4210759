// Features of neighbours less those of their center, weighted by scores. Gradients add up the neighbourhoods
// in their order.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

struct NeighbourhoodSizes {
  int64_t points, groups, neighbours, weights, channels;  // N, npoint, K, M, out_dim

  // The row of a point among those of all batches; -1 for an index outside the points.
  DIOPI_HD int64_t PointOf(int64_t batch, int64_t index) const {
    return index >= 0 && index < points ? batch * points + index : -1;
  }
};

template <typename C>
struct ScoredSum {
  Out<C> out;
  In<C> points, centers, scores;
  In<int64_t> indices;
  NeighbourhoodSizes s;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t k = i % s.neighbours, group = i / s.neighbours % s.groups;
    const int64_t channel = i / s.neighbours / s.groups % s.channels;
    const int64_t batch = i / s.neighbours / s.groups / s.channels, row = batch * s.groups + group;
    const int64_t point = s.PointOf(batch, indices[row * s.neighbours + k]);
    const int64_t center = s.PointOf(batch, indices[row * s.neighbours]);
    if (point < 0 || center < 0) return;
    Sum<C> sum;
    for (int64_t m = 0; m < s.weights; ++m) {
      const C score = scores[(row * s.neighbours + k) * s.weights + m];
      sum += points[(point * s.weights + m) * s.channels + channel] * score -
             centers[(center * s.weights + m) * s.channels + channel] * score;
    }
    out.Set(i, sum.total());
  }
};

// The gradients of points, or of centers, whose index is the first of each row.
template <typename C>
struct ScoredFeatureGradient {
  Out<C> out;
  In<C> grad, scores;
  In<int64_t> indices;
  NeighbourhoodSizes s;
  bool of_centers;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t channel = i % s.channels, m = i / s.channels % s.weights;
    const int64_t point = i / s.channels / s.weights % s.points;
    const int64_t batch = i / s.channels / s.weights / s.points;
    Sum<C> sum;
    for (int64_t j = 0; j < s.groups * s.neighbours; ++j) {
      const int64_t at = batch * s.groups * s.neighbours + j;
      if (indices[of_centers ? at - j % s.neighbours : at] != point) continue;
      const C product =
          scores[at * s.weights + m] * grad[(batch * s.channels + channel) * s.groups * s.neighbours + j];
      sum += of_centers ? -product : product;
    }
    out.Set(i, sum.total());
  }
};

template <typename C>
struct ScoreGradient {
  Out<C> out;
  In<C> grad, points, centers;
  In<int64_t> indices;
  NeighbourhoodSizes s;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t m = i % s.weights, at = i / s.weights, of_batch = s.groups * s.neighbours;
    const int64_t batch = at / of_batch;
    const int64_t point = s.PointOf(batch, indices[at]);
    const int64_t center = s.PointOf(batch, indices[at - at % s.neighbours]);
    if (point < 0 || center < 0) return;
    Sum<C> sum;
    for (int64_t o = 0; o < s.channels; ++o) {
      sum += (points[(point * s.weights + m) * s.channels + o] -
              centers[(center * s.weights + m) * s.channels + o]) *
             grad[(batch * s.channels + o) * of_batch + at % of_batch];
    }
    out.Set(i, sum.total());
  }
};

template <typename Args>
NeighbourhoodSizes CheckedSizes(const Args& a, const Tensor& out) {
  CheckShape(Tensor(a.points), {a.B, a.N, a.M, a.out_dim}, "points");
  CheckShape(Tensor(a.centers), {a.B, a.N, a.M, a.out_dim}, "centers");
  CheckShape(Tensor(a.scores), {a.B, a.npoint, a.K, a.M}, "scores");
  CheckShape(Tensor(a.knn_idx), {a.B, a.npoint, a.K}, "knn_idx");
  CheckShape(out, {a.B, a.out_dim, a.npoint, a.K}, "the output or its gradient");
  return {a.N, a.npoint, a.K, a.M, a.out_dim};
}

}  // namespace

DIOPI_KERNEL(diopiAssignScoreWithkMmcv, a) {
  const Tensor out(a.output), points(a.points), centers(a.centers), scores(a.scores);
  const NeighbourhoodSizes s = CheckedSizes(a, out);
  DispatchFloating(ResultType(out, {points}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            ScoredSum<C>{Out<C>(out), In<C>(points), In<C>(centers), In<C>(scores),
                         In<int64_t>(Tensor(a.knn_idx)), s});
  });
}

DIOPI_KERNEL(diopiAssignScoreWithkBackwardMmcv, a) {
  const Tensor grad(a.grad_out), points(a.points), centers(a.centers), scores(a.scores);
  const Tensor to_points(a.grad_points), to_centers(a.grad_centers), to_scores(a.grad_scores);
  const NeighbourhoodSizes s = CheckedSizes(a, grad);
  CheckShape(to_points, points.shape(), "grad_points");
  CheckShape(to_centers, centers.shape(), "grad_centers");
  CheckShape(to_scores, scores.shape(), "grad_scores");
  DispatchFloating(ResultType(to_points, {grad, points}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> g(grad), weights(scores);
    const In<int64_t> indices{Tensor(a.knn_idx)};
    ForEach(queue, to_points.numel(),
            ScoredFeatureGradient<C>{Out<C>(to_points), g, weights, indices, s, false});
    ForEach(queue, to_centers.numel(),
            ScoredFeatureGradient<C>{Out<C>(to_centers), g, weights, indices, s, true});
    ForEach(queue, to_scores.numel(),
            ScoreGradient<C>{Out<C>(to_scores), g, In<C>(points), In<C>(centers), indices, s});
  });
}

}  // namespace diopi::ops::both
