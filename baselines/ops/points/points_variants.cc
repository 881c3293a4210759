// The functions of point clouds as other correct libraries compute them: gradients scattered onto the zeros
// that the callers pass, distances with fused multiply-add, neighbours by sorting.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(points_scattered,
        "diopiGatherPointsBackwardMmcv diopiGroupPointsBackwardMmcv diopiThreeInterpolateBackwardMmcv", "",
        "each place adds its gradient to the points', the last place first");
VARIANT(points_sorted_fma, "diopiThreeNnMmcv diopiKnnMmcv", "",
        "all distances with fused multiply-add, then a sort");
VARIANT(chamfer_scattered, "diopiChamferDistanceBackwardMmcv", "",
        "each pair adds to both points' gradients, the second direction first");
VARIANT(three_interpolate_fma, "diopiThreeInterpolateMmcv", "",
        "fused multiply-add, the last neighbour first");

size_t Place(int64_t index) {
  return static_cast<size_t>(index);
}

// weight(i): that of the i-th index; `repeat` indices belong to one place of grad_out.
template <typename Args, typename Weight>
void Scatter(const Args& a, int64_t points, int64_t repeat, Weight&& weight) {
  const Tensor out(a.grad_points);
  const std::vector<int64_t> idx = Load<int64_t>(Tensor(a.idx));
  const int64_t of_batch = static_cast<int64_t>(idx.size()) / a.b;
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> grad = Load<C>(Tensor(a.grad_out));
    std::vector<C> sums = Load<C>(out);
    for (int64_t i = a.b * a.c * of_batch; i-- > 0;) {
      const int64_t plane = i / of_batch, at = plane / a.c * of_batch + i % of_batch;
      sums[Place(plane * points + idx[Place(at)])] += grad[Place(i / repeat)] * static_cast<C>(weight(at));
    }
    Store(out, sums);
  });
}

// points: (batch, n, 3), centers: (batch, m, 3); the first `wanted` by distance.
void SortedNeighbours(const Tensor& distances, const Tensor& indices, const Tensor& centers,
                      const Tensor& points, int64_t wanted) {
  const int64_t n = points.size(1), m = centers.size(1);
  DispatchReal(distances.dtype(), [&]<typename C>() {
    const std::vector<C> from = Load<C>(centers), to = Load<C>(points);
    std::vector<C> found;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < centers.size(0) * m; ++i) {
      std::vector<std::pair<C, int64_t>> all;
      for (int64_t j = 0; j < n; ++j) {
        C sum = 0;
        for (int64_t d = 3; d-- > 0;) {
          const C apart = from[Place(3 * i + d)] - to[Place(3 * (i / m * n + j) + d)];
          sum = std::fma(apart, apart, sum);
        }
        all.emplace_back(sum, j);
      }
      std::sort(all.begin(), all.end());
      for (int64_t k = 0; k < wanted; ++k) {
        found.push_back(all[Place(k)].first);
        places.push_back(all[Place(k)].second);
      }
    }
    Store(distances, found);
    Store(indices, places);
  });
}

}  // namespace

}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: overrides are global functions, or nobody can call them

DIOPI_OVERRIDE(diopiGatherPointsBackwardMmcv, a) {
  if (!points_scattered) return Good(a);
  Scatter(a, a.n, 1, [](int64_t) { return 1.0; });
}
DIOPI_OVERRIDE(diopiGroupPointsBackwardMmcv, a) {
  if (!points_scattered) return Good(a);
  Scatter(a, a.n, 1, [](int64_t) { return 1.0; });
}
DIOPI_OVERRIDE(diopiThreeInterpolateBackwardMmcv, a) {
  if (!points_scattered) return Good(a);
  const std::vector<double> weights = Load<double>(Tensor(a.weight));
  Scatter(a, a.m, 3, [&](int64_t i) { return weights[Place(i)]; });
}

DIOPI_OVERRIDE(diopiThreeInterpolateMmcv, a) {
  if (!three_interpolate_fma) return Good(a);
  const Tensor out(a.out);
  const std::vector<int64_t> idx = Load<int64_t>(Tensor(a.idx));
  DispatchReal(out.dtype(), [&]<typename C>() {
    const std::vector<C> points = Load<C>(Tensor(a.points)), weights = Load<C>(Tensor(a.weight));
    std::vector<C> sums(Place(out.numel()));
    for (int64_t i = 0; i < out.numel(); ++i) {
      const int64_t plane = i / a.n, first = 3 * (plane / a.c * a.n + i % a.n);
      for (int64_t k = first + 3; k-- > first;) {
        C& sum = sums[Place(i)];
        sum = std::fma(weights[Place(k)], points[Place(plane * a.m + idx[Place(k)])], sum);
      }
    }
    Store(out, sums);
  });
}

DIOPI_OVERRIDE(diopiThreeNnMmcv, a) {
  if (!points_sorted_fma) return Good(a);
  SortedNeighbours(Tensor(a.dist2), Tensor(a.idx), Tensor(a.unknown), Tensor(a.known), 3);
}
DIOPI_OVERRIDE(diopiKnnMmcv, a) {
  if (!points_sorted_fma) return Good(a);
  SortedNeighbours(Tensor(a.dist2_tensor), Tensor(a.idx_tensor), Tensor(a.new_xyz_tensor),
                   Tensor(a.xyz_tensor), a.nsample);
}

DIOPI_OVERRIDE(diopiChamferDistanceBackwardMmcv, a) {
  if (!chamfer_scattered) return Good(a);
  const Tensor out1(a.grad_xyz1), out2(a.grad_xyz2);
  DispatchReal(out1.dtype(), [&]<typename C>() {
    const std::vector<C> xyz1 = Load<C>(Tensor(a.xyz1)), xyz2 = Load<C>(Tensor(a.xyz2));
    std::vector<C> sums1 = Load<C>(out1), sums2 = Load<C>(out2);
    const auto add = [](const std::vector<C>& from, const std::vector<C>& to, int64_t n, int64_t m,
                        const std::vector<int64_t>& idx, const std::vector<C>& grad, std::vector<C>* at,
                        std::vector<C>* there) {
      for (int64_t i = 0; i < static_cast<int64_t>(from.size()); ++i) {
        const int64_t other = 2 * (i / 2 / n * m + idx[Place(i / 2)]) + i % 2;
        const C step = 2 * grad[Place(i / 2)] * (from[Place(i)] - to[Place(other)]);
        (*at)[Place(i)] += step;
        (*there)[Place(other)] -= step;
      }
    };
    const int64_t n = out1.size(1), m = out2.size(1);
    add(xyz2, xyz1, m, n, Load<int64_t>(Tensor(a.idx2)), Load<C>(Tensor(a.grad_dist2)), &sums2, &sums1);
    add(xyz1, xyz2, n, m, Load<int64_t>(Tensor(a.idx1)), Load<C>(Tensor(a.grad_dist1)), &sums1, &sums2);
    Store(out1, sums1);
    Store(out2, sums2);
  });
}
