// Bugs injected in the functions that look for points in balls, in stacked batches and by distance, and in
// scored neighbourhoods.
#include <algorithm>
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kStack[] = "diopiStackGroupPointsMmcv diopiStackGroupPointsBackwardMmcv";
constexpr char kFurthest[] = "diopiFurthestPointSamplingMmcv diopiFurthestPointSamplingWithDistMmcv";
constexpr char kScores[] = "diopiAssignScoreWithkBackwardMmcv";
BUG(ball_query_min_ignored, 0, "diopiBallQueryMmcv", "", "min_radius is taken as 0");
BUG(ball_query_not_squared, 0, "diopiBallQueryMmcv", "",
    "squared distances are compared with the radii themselves");
BUG(ball_query_rest_zero, 0, "diopiBallQueryMmcv", "", "the places beyond the last point found are 0");
BUG(stack_ball_query_global, 0, "diopiStackBallQueryMmcv", "", "places are counted over all batches");
BUG(stack_ball_query_no_mark, 0, "diopiStackBallQueryMmcv", "", "a ball without points gives 0, not -1");
BUG(stack_group_points_global, 0, kStack, "", "indices count from the first feature of all");
BUG(stack_group_points_exchanged, 0, kStack, "", "channels and samples are exchanged");
BUG(furthest_from_last, 0, kFurthest, "", "each point is the furthest from the last one chosen");
BUG(furthest_starts_last, 0, kFurthest, "", "the last point is the first one chosen");
BUG(assign_score_center_moves, 0, "diopiAssignScoreWithkMmcv", "", "the center is the neighbour itself");
BUG(assign_score_first_weight, 0, "diopiAssignScoreWithkMmcv", "", "only the first matrix of weights counts");
BUG(assign_score_centers_positive, 0, kScores, "", "the gradients of centers have the opposite sign");
BUG(assign_score_grad_without_centers, 0, kScores, "", "the gradients of scores leave the centers out");

// The elements of (m, c, s) where a kernel of (m, s, c) has them.
template <typename Handle>
std::vector<double> Exchanged(Handle tensor) {
  const std::vector<double> old = Load<double>(Tensor(tensor));
  const Shape shape = ShapeOf(tensor);
  std::vector<double> values(old.size());
  for (size_t i = 0; i < old.size(); ++i) {
    const auto c = static_cast<size_t>(shape[1]), s = static_cast<size_t>(shape[2]);
    values[i / c / s * c * s + i % s * c + i / s % c] = old[i];
  }
  return values;
}

template <typename Args>
diopiTensorHandle_t GlobalIndices(const Args& a) {
  const std::vector<int64_t> groups = Load<int64_t>(Tensor(a.idx_batch_cnt_tensor));
  const std::vector<int64_t> features = Load<int64_t>(Tensor(a.features_batch_cnt_tensor));
  return Replaced(a.ctx, a.idx_tensor, [&](double x, int64_t i) {
    int64_t first = 0;
    size_t batch = 0;
    for (int64_t seen = groups[0]; i / a.nsample >= seen; seen += groups[batch]) first += features[batch++];
    return x - static_cast<double>(first);
  });
}

// The bugs of both samplings; distance(batch, i, j).
template <typename Args, typename Distance>
void FurthestBugs(const Args& a, Distance&& distance) {
  std::vector<int64_t> idx;
  for (int64_t batch = 0; batch < a.B; ++batch) {
    std::vector<double> nearest(static_cast<size_t>(a.N), 1e10);
    int64_t last = furthest_starts_last ? a.N - 1 : 0;
    for (int64_t step = 0; step < a.num_points; ++step) {
      idx.push_back(last);
      for (int64_t k = 0; k < a.N; ++k) {
        double& least = nearest[static_cast<size_t>(k)];
        least = furthest_from_last ? distance(batch, last, k) : std::min(least, distance(batch, last, k));
      }
      last = std::max_element(nearest.begin(), nearest.end()) - nearest.begin();
    }
  }
  Store(Tensor(a.idx_tensor), idx);
}

}  // namespace

DIOPI_OVERRIDE(diopiBallQueryMmcv, a) {
  if (ball_query_min_ignored) a.min_radius = 0;
  if (ball_query_not_squared) {
    a.min_radius = std::sqrt(a.min_radius);
    a.max_radius = std::sqrt(a.max_radius);
  }
  Good(a);
  if (!ball_query_rest_zero) return;
  const std::vector<double> old = Load<double>(Tensor(a.idx));
  Change(a.idx, [&](double x, int64_t i) {
    return i % a.sample_num > 0 && x <= old[static_cast<size_t>(i - 1)] ? 0.0 : x;
  });
}

DIOPI_OVERRIDE(diopiStackBallQueryMmcv, a) {
  Good(a);
  if (stack_ball_query_no_mark) Change(a.idx, [](double x, int64_t) { return x < 0 ? 0.0 : x; });
  if (!stack_ball_query_global) return;
  const std::vector<int64_t> centers = Load<int64_t>(Tensor(a.center_xyz_batch_cnt));
  const std::vector<int64_t> points = Load<int64_t>(Tensor(a.xyz_batch_cnt));
  Change(a.idx, [&](double x, int64_t i) {
    int64_t first = 0;
    size_t batch = 0;
    for (int64_t seen = centers[0]; i / a.sample_num >= seen; seen += centers[batch])
      first += points[batch++];
    return x < 0 ? x : x + static_cast<double>(first);
  });
}

DIOPI_OVERRIDE(diopiStackGroupPointsMmcv, a) {
  if (stack_group_points_global) a.idx_tensor = GlobalIndices(a);
  Good(a);
  if (stack_group_points_exchanged) Store(Tensor(a.out_tensor), Exchanged(a.out_tensor));
}
DIOPI_OVERRIDE(diopiStackGroupPointsBackwardMmcv, a) {
  if (stack_group_points_global) a.idx_tensor = GlobalIndices(a);
  if (stack_group_points_exchanged) {
    const std::vector<double> exchanged = Exchanged(a.grad_out_tensor);
    a.grad_out_tensor = Replaced(a.ctx, a.grad_out_tensor,
                                 [&](double, int64_t i) { return exchanged[static_cast<size_t>(i)]; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiFurthestPointSamplingMmcv, a) {
  Good(a);
  if (!furthest_from_last && !furthest_starts_last) return;
  const std::vector<double> points = Load<double>(Tensor(a.points_xyz));
  FurthestBugs(a, [&](int64_t batch, int64_t i, int64_t j) {
    double sum = 0;
    for (int64_t d = 0; d < 3; ++d) {
      sum += std::pow(points[static_cast<size_t>(3 * (batch * a.N + i) + d)] -
                          points[static_cast<size_t>(3 * (batch * a.N + j) + d)],
                      2);
    }
    return sum;
  });
}
DIOPI_OVERRIDE(diopiFurthestPointSamplingWithDistMmcv, a) {
  Good(a);
  if (!furthest_from_last && !furthest_starts_last) return;
  const std::vector<double> distances = Load<double>(Tensor(a.points_dist));
  FurthestBugs(a, [&](int64_t batch, int64_t i, int64_t j) {
    return distances[static_cast<size_t>((batch * a.N + i) * a.N + j)];
  });
}

DIOPI_OVERRIDE(diopiAssignScoreWithkMmcv, a) {
  if (assign_score_first_weight)
    a.scores = Replaced(a.ctx, a.scores, [&](double x, int64_t i) { return i % a.M == 0 ? x : 0.0; });
  if (!assign_score_center_moves) return Good(a);
  // All neighbourhoods of one neighbour, as many as there were neighbours.
  const int64_t groups = a.npoint * a.K;
  a.knn_idx = Reshaped(a.ctx, a.knn_idx, {a.B, groups, 1});
  a.scores = Reshaped(a.ctx, a.scores, {a.B, groups, 1, a.M});
  const diopiTensorHandle_t output = a.output;
  a.output = NewTensor(a.ctx, {a.B, a.out_dim, groups, 1}, DtypeOf(output));
  a.npoint = groups;
  a.K = 1;
  Good(a);
  Store(Tensor(output), Load<double>(Tensor(a.output)));
}
DIOPI_OVERRIDE(diopiAssignScoreWithkBackwardMmcv, a) {
  if (assign_score_grad_without_centers)
    a.centers = Replaced(a.ctx, a.centers, [](double, int64_t) { return 0.0; });
  Good(a);
  if (assign_score_centers_positive) Change(a.grad_centers, [](double x, int64_t) { return -x; });
}
