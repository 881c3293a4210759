// Bugs injected in the functions of point clouds that gather, interpolate and look for neighbours.
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kGather[] = "diopiGatherPointsMmcv diopiGatherPointsBackwardMmcv";
constexpr char kGroup[] = "diopiGroupPointsMmcv diopiGroupPointsBackwardMmcv";
constexpr char kThree[] = "diopiThreeInterpolateMmcv diopiThreeInterpolateBackwardMmcv";
BUG(gather_points_first_batch, 0, kGather, "", "the indices of the first batch serve all");
BUG(gather_points_grad_overwritten, 0, "diopiGatherPointsBackwardMmcv", "",
    "of several places that chose a point, only the last gives a gradient");
BUG(gather_points_last_lost, 0, kGather, "", "the last place of each batch takes the first one's index");
BUG(group_points_first_batch, 0, kGroup, "", "the indices of the first batch serve all");
BUG(group_points_exchanged, 0, kGroup, "", "indices are read as (batch, sample, group)");
BUG(group_points_grad_overwritten, 0, "diopiGroupPointsBackwardMmcv", "",
    "of several groups with a point, only the last gives a gradient");
BUG(three_interpolate_normalised, 0, kThree, "", "weights are divided by their sum");
BUG(three_interpolate_two, 0, kThree, "", "the third neighbour is left out");
BUG(three_interpolate_same_once, 0, kThree, "", "a point that is twice a neighbour counts once");
BUG(three_nn_rooted, 0, "diopiThreeNnMmcv", "", "distances instead of their squares");
BUG(three_nn_second_third, 0, "diopiThreeNnMmcv", "", "the second and third neighbours are exchanged");
BUG(three_nn_planar, 0, "diopiThreeNnMmcv", "", "the third coordinate does not count");
BUG(knn_farthest_first, 0, "diopiKnnMmcv", "", "neighbours by falling distance: the heap is not sorted");
BUG(knn_indices_global, 0, "diopiKnnMmcv", "", "indices are counted over all batches");
BUG(knn_rooted, 0, "diopiKnnMmcv", "", "distances instead of their squares");
BUG(chamfer_rooted, 0, "diopiChamferDistanceMmcv", "", "distances instead of their squares");
BUG(chamfer_indices_global, 0, "diopiChamferDistanceMmcv", "", "idx2 counts over all batches");
BUG(chamfer_grad_half, 0, "diopiChamferDistanceBackwardMmcv", "", "the factor 2 of the square is missing");
BUG(chamfer_grad_one_way, 0, "diopiChamferDistanceBackwardMmcv", "",
    "the second direction's gradients are left out");

// The indices of the first batch for all batches.
diopiTensorHandle_t FirstBatch(diopiContextHandle_t ctx, diopiConstTensorHandle_t idx) {
  const std::vector<int64_t> all = Load<int64_t>(Tensor(idx));
  const int64_t of_batch = static_cast<int64_t>(all.size()) / ShapeOf(idx)[0];
  return Replaced(ctx, idx, [&](double, int64_t i) {
    return static_cast<double>(all[static_cast<size_t>(i % of_batch)]);
  });
}

// Only the last place that chose a point keeps its gradient; grad is (b, c, places).
template <typename Args>
diopiTensorHandle_t LastGradients(const Args& a) {
  const std::vector<int64_t> idx = Load<int64_t>(Tensor(a.idx));
  const int64_t places = static_cast<int64_t>(idx.size()) / a.b;
  return Replaced(a.ctx, a.grad_out, [&](double x, int64_t i) {
    const int64_t first = i / places / a.c * places;
    for (int64_t j = i % places + 1; j < places; ++j) {
      if (idx[static_cast<size_t>(first + j)] == idx[static_cast<size_t>(first + i % places)]) return 0.0;
    }
    return x;
  });
}

template <typename Args>
void GatherBugs(Args& a) {
  if (gather_points_first_batch) a.idx = FirstBatch(a.ctx, a.idx);
  if (!gather_points_last_lost) return;
  const std::vector<double> idx = Load<double>(Tensor(a.idx));
  a.idx = Replaced(a.ctx, a.idx, [&](double x, int64_t i) {
    return i % a.npoints == a.npoints - 1 ? idx[static_cast<size_t>(i + 1 - a.npoints)] : x;
  });
}

template <typename Args>
void GroupBugs(Args& a) {
  if (group_points_first_batch) a.idx = FirstBatch(a.ctx, a.idx);
  if (!group_points_exchanged) return;
  const std::vector<double> idx = Load<double>(Tensor(a.idx));
  a.idx = Replaced(a.ctx, a.idx, [&](double, int64_t i) {
    const int64_t sample = i % a.nsample, group = i / a.nsample % a.npoints;
    const int64_t batch = i / a.nsample / a.npoints;
    return idx[static_cast<size_t>((batch * a.nsample + sample) * a.npoints + group)];
  });
}

template <typename Args>
void ThreeBugs(Args& a) {
  const std::vector<double> old = Load<double>(Tensor(a.weight)), idx = Load<double>(Tensor(a.idx));
  a.weight = Replaced(a.ctx, a.weight, [&](double x, int64_t i) {
    const auto at = static_cast<size_t>(i), first = at - at % 3;
    if (three_interpolate_normalised) x /= old[first] + old[first + 1] + old[first + 2];
    if (three_interpolate_two && i % 3 == 2) return 0.0;
    for (size_t j = first; j < at && three_interpolate_same_once; ++j) {
      if (idx[j] == idx[at]) return 0.0;
    }
    return x;
  });
}

double Root(double x, int64_t) {
  return std::sqrt(x);
}

}  // namespace

DIOPI_OVERRIDE(diopiGatherPointsMmcv, a) {
  GatherBugs(a);
  Good(a);
}
DIOPI_OVERRIDE(diopiGatherPointsBackwardMmcv, a) {
  GatherBugs(a);
  if (gather_points_grad_overwritten) a.grad_out = LastGradients(a);
  Good(a);
}
DIOPI_OVERRIDE(diopiGroupPointsMmcv, a) {
  GroupBugs(a);
  Good(a);
}
DIOPI_OVERRIDE(diopiGroupPointsBackwardMmcv, a) {
  GroupBugs(a);
  if (group_points_grad_overwritten) a.grad_out = LastGradients(a);
  Good(a);
}
DIOPI_OVERRIDE(diopiThreeInterpolateMmcv, a) {
  ThreeBugs(a);
  Good(a);
}
DIOPI_OVERRIDE(diopiThreeInterpolateBackwardMmcv, a) {
  ThreeBugs(a);
  Good(a);
}

DIOPI_OVERRIDE(diopiThreeNnMmcv, a) {
  if (three_nn_planar) {
    a.known = Replaced(a.ctx, a.known, [](double x, int64_t i) { return i % 3 == 2 ? 0.0 : x; });
    a.unknown = Replaced(a.ctx, a.unknown, [](double x, int64_t i) { return i % 3 == 2 ? 0.0 : x; });
  }
  Good(a);
  if (three_nn_rooted) Change(a.dist2, Root);
  if (!three_nn_second_third) return;
  for (diopiTensorHandle_t result : {a.dist2, a.idx}) {
    const std::vector<double> old = Load<double>(Tensor(result));
    Change(result, [&](double x, int64_t i) {
      return i % 3 == 0 ? x : old[static_cast<size_t>(i % 3 == 1 ? i + 1 : i - 1)];
    });
  }
}

DIOPI_OVERRIDE(diopiKnnMmcv, a) {
  Good(a);
  if (knn_rooted) Change(a.dist2_tensor, Root);
  if (knn_indices_global) {
    Change(a.idx_tensor,
           [&](double x, int64_t i) { return x + static_cast<double>(i / a.nsample / a.m * a.n); });
  }
  if (!knn_farthest_first) return;
  for (diopiTensorHandle_t result : {a.dist2_tensor, a.idx_tensor}) {
    const std::vector<double> old = Load<double>(Tensor(result));
    Change(result, [&](double, int64_t i) {
      return old[static_cast<size_t>(i - i % a.nsample + a.nsample - 1 - i % a.nsample)];
    });
  }
}

DIOPI_OVERRIDE(diopiChamferDistanceMmcv, a) {
  Good(a);
  if (chamfer_rooted) {
    Change(a.dist1, Root);
    Change(a.dist2, Root);
  }
  const int64_t n = ShapeOf(a.xyz1)[1], m = ShapeOf(a.xyz2)[1];
  if (chamfer_indices_global)
    Change(a.idx2, [&](double x, int64_t i) { return x + static_cast<double>(i / m * n); });
}
DIOPI_OVERRIDE(diopiChamferDistanceBackwardMmcv, a) {
  if (chamfer_grad_one_way) a.grad_dist2 = Replaced(a.ctx, a.grad_dist2, [](double, int64_t) { return 0.0; });
  Good(a);
  if (!chamfer_grad_half) return;
  Change(a.grad_xyz1, [](double x, int64_t) { return x / 2; });
  Change(a.grad_xyz2, [](double x, int64_t) { return x / 2; });
}
