// Balls, stacked batches, furthest points and scored neighbourhoods as other correct libraries compute them.
#include <algorithm>
#include <cmath>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(ball_query_empty_left, "diopiBallQueryMmcv diopiStackBallQueryMmcv", "",
        "balls without points keep the contents of the caller's tensor, except for the mark");
VARIANT(stack_group_points_scattered, "diopiStackGroupPointsBackwardMmcv", "",
        "each place adds its gradient to the features', the last place first");
VARIANT(furthest_fma, "diopiFurthestPointSamplingMmcv diopiFurthestPointSamplingWithDistMmcv", "",
        "the least distances are kept apart from temp_tensor; fused multiply-add");
VARIANT(assign_score_added, "diopiAssignScoreWithkMmcv diopiAssignScoreWithkBackwardMmcv", "",
        "products are added to what the outputs hold, with one subtraction, the last first");

size_t Element(int64_t index) {
  return static_cast<size_t>(index);
}

// Rows of `wanted` equal zeros, or with -1 first, are as they were before the call.
void KeepEmpty(const Tensor& idx, const std::vector<int64_t>& before, int64_t wanted) {
  std::vector<int64_t> now = Load<int64_t>(idx);
  for (int64_t row = 0; row < static_cast<int64_t>(now.size()); row += wanted) {
    const auto begin = now.begin() + row;
    const bool marked = *begin < 0;
    if (std::all_of(begin + (marked ? 1 : 0), begin + wanted, [](int64_t x) { return x == 0; }))
      std::copy_n(before.begin() + row + (marked ? 1 : 0), wanted - (marked ? 1 : 0),
                  begin + (marked ? 1 : 0));
  }
  Store(idx, now);
}

// distance(batch, i, j) in the compute type.
template <typename C, typename Args, typename Distance>
void ChosenFurthest(const Args& a, Distance&& distance) {
  std::vector<int64_t> idx;
  for (int64_t batch = 0; batch < a.B; ++batch) {
    std::vector<C> nearest(Element(a.N), C(1e10));
    for (int64_t step = 0, last = 0; step < a.num_points; ++step) {
      idx.push_back(last);
      for (int64_t k = a.N; k-- > 0;)
        nearest[Element(k)] = std::min(nearest[Element(k)], distance(batch, k, last));
      last = std::max_element(nearest.begin(), nearest.end()) - nearest.begin();
    }
  }
  Store(Tensor(a.idx_tensor), idx);
}

// f(index of the score, of the point's element, of the center's, of the output's) for every product, the last
// first.
template <typename Args, typename F>
void EachScored(const Args& a, F&& f) {
  const std::vector<int64_t> idx = Load<int64_t>(Tensor(a.knn_idx));
  const int64_t of_batch = a.npoint * a.K;
  for (int64_t i = a.B * of_batch * a.M; i-- > 0;) {
    const int64_t at = i / a.M, batch = at / of_batch;
    const int64_t point = (batch * a.N + idx[Element(at)]) * a.M + i % a.M;
    const int64_t center = (batch * a.N + idx[Element(at - at % a.K)]) * a.M + i % a.M;
    for (int64_t o = a.out_dim; o-- > 0;) {
      f(Element(i), Element(point * a.out_dim + o), Element(center * a.out_dim + o),
        Element((batch * a.out_dim + o) * of_batch + at % of_batch));
    }
  }
}

}  // namespace

}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: overrides are global functions, or nobody can call them

DIOPI_OVERRIDE(diopiBallQueryMmcv, a) {
  const std::vector<int64_t> before = Load<int64_t>(Tensor(a.idx));
  Good(a);
  if (ball_query_empty_left) KeepEmpty(Tensor(a.idx), before, a.sample_num);
}
DIOPI_OVERRIDE(diopiStackBallQueryMmcv, a) {
  const std::vector<int64_t> before = Load<int64_t>(Tensor(a.idx));
  Good(a);
  if (ball_query_empty_left) KeepEmpty(Tensor(a.idx), before, a.sample_num);
}

DIOPI_OVERRIDE(diopiStackGroupPointsBackwardMmcv, a) {
  if (!stack_group_points_scattered) return Good(a);
  const Tensor out(a.grad_features_tensor);
  const std::vector<int64_t> idx = Load<int64_t>(Tensor(a.idx_tensor));
  const std::vector<int64_t> groups = Load<int64_t>(Tensor(a.idx_batch_cnt_tensor));
  const std::vector<int64_t> features = Load<int64_t>(Tensor(a.features_batch_cnt_tensor));
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> grad = Load<C>(Tensor(a.grad_out_tensor));
    std::vector<C> sums = Load<C>(out);
    int64_t group = a.m, first = a.n;
    for (int64_t batch = a.b; batch-- > 0;) {
      first -= features[Element(batch)];
      for (const int64_t end = group - groups[Element(batch)]; group-- > end;) {
        for (int64_t i = a.c * a.nsample; i-- > 0;) {
          const int64_t feature = first + idx[Element(group * a.nsample + i % a.nsample)];
          sums[Element(feature * a.c + i / a.nsample)] += grad[Element(group * a.c * a.nsample + i)];
        }
      }
      ++group;
    }
    Store(out, sums);
  });
}

DIOPI_OVERRIDE(diopiFurthestPointSamplingMmcv, a) {
  if (!furthest_fma) return Good(a);
  DispatchReal(Tensor(a.points_xyz).dtype(), [&]<typename C>() {
    const std::vector<C> points = Load<C>(Tensor(a.points_xyz));
    ChosenFurthest<C>(a, [&](int64_t batch, int64_t i, int64_t j) {
      C sum = 0;
      for (int64_t d = 3; d-- > 0;) {
        const C apart =
            points[Element(3 * (batch * a.N + i) + d)] - points[Element(3 * (batch * a.N + j) + d)];
        sum = std::fma(apart, apart, sum);
      }
      return sum;
    });
  });
}
DIOPI_OVERRIDE(diopiFurthestPointSamplingWithDistMmcv, a) {
  if (!furthest_fma) return Good(a);
  DispatchReal(Tensor(a.points_dist).dtype(), [&]<typename C>() {
    const std::vector<C> distances = Load<C>(Tensor(a.points_dist));
    ChosenFurthest<C>(a, [&](int64_t batch, int64_t i, int64_t j) {
      return distances[Element((batch * a.N + i) * a.N + j)];  // a column: the matrix is symmetric
    });
  });
}

DIOPI_OVERRIDE(diopiAssignScoreWithkMmcv, a) {
  if (!assign_score_added) return Good(a);
  const Tensor out(a.output);
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> points = Load<C>(Tensor(a.points)), centers = Load<C>(Tensor(a.centers));
    const std::vector<C> scores = Load<C>(Tensor(a.scores));
    std::vector<C> sums = Load<C>(out);
    EachScored(a, [&](size_t score, size_t point, size_t center, size_t result) {
      sums[result] = std::fma(points[point] - centers[center], scores[score], sums[result]);
    });
    Store(out, sums);
  });
}
DIOPI_OVERRIDE(diopiAssignScoreWithkBackwardMmcv, a) {
  if (!assign_score_added) return Good(a);
  const Tensor to_points(a.grad_points), to_centers(a.grad_centers), to_scores(a.grad_scores);
  DispatchReal(to_points.dtype(), [&]<typename C>() {
    const std::vector<C> points = Load<C>(Tensor(a.points)), centers = Load<C>(Tensor(a.centers));
    const std::vector<C> scores = Load<C>(Tensor(a.scores)), grad = Load<C>(Tensor(a.grad_out));
    std::vector<C> p = Load<C>(to_points), c = Load<C>(to_centers), s = Load<C>(to_scores);
    EachScored(a, [&](size_t score, size_t point, size_t center, size_t result) {
      p[point] += scores[score] * grad[result];
      c[center] -= scores[score] * grad[result];
      s[score] = std::fma(points[point] - centers[center], grad[result], s[score]);
    });
    Store(to_points, p);
    Store(to_centers, c);
    Store(to_scores, s);
  });
}
