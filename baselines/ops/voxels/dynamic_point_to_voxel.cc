// Features of points reduced by voxel: every row of coordinates once, sorted, and the sum, mean or largest of
// its points.
#include "baselines/ops/host_number.h"

namespace diopi::ops::both {
namespace {

constexpr int64_t kSum = 0, kMean = 1, kLargest = 2;

// Rows of whole numbers; those with a negative number do not count.
struct VoxelRows {
  In<int64_t> numbers;
  int64_t count, width;

  DIOPI_HD bool Counts(int64_t i) const {
    for (int64_t d = 0; d < width; ++d) {
      if (numbers[i * width + d] < 0) return false;
    }
    return true;
  }
  // Negative, 0 or positive as row i comes before row k, is equal to it, or comes after it.
  DIOPI_HD int Compare(int64_t i, int64_t k) const {
    for (int64_t d = 0; d < width; ++d) {
      const int64_t a = numbers[i * width + d], b = numbers[k * width + d];
      if (a != b) return a < b ? -1 : 1;
    }
    return 0;
  }
};

// Whether a row is the first of its voxel.
struct FirstOfVoxel {
  Scratch<uint8_t> first;
  VoxelRows rows;

  DIOPI_HD void operator()(int64_t i) const {
    bool is = rows.Counts(i);
    for (int64_t k = 0; k < i && is; ++k) is = rows.Compare(i, k) != 0;
    first[i] = is ? 1 : 0;
  }
};

// The voxel of each point: how many voxels come before it.
struct VoxelOfPoint {
  Out<int64_t> voxel;
  Scratch<uint8_t> first;
  VoxelRows rows;

  DIOPI_HD void operator()(int64_t i) const {
    int64_t before = rows.Counts(i) ? 0 : -1;
    for (int64_t k = 0; k < rows.count && before >= 0; ++k)
      before += first[k] != 0 && rows.Compare(k, i) < 0 ? 1 : 0;
    voxel.Set(i, before);
  }
};

struct CountFirst {
  Out<int64_t> number;
  Scratch<uint8_t> first;
  int64_t count;

  DIOPI_HD void operator()(int64_t) const {
    int64_t sum = 0;
    for (int64_t i = 0; i < count; ++i) sum += first[i];
    number.Set(0, sum);
  }
};

// The rows and the numbers of points of the voxels.
struct VoxelNumbers {
  Out<int64_t> out, counts;
  In<int64_t> voxel;
  VoxelRows rows;

  DIOPI_HD void operator()(int64_t at) const {
    int64_t count = 0;
    for (int64_t i = 0; i < rows.count; ++i) {
      if (voxel[i] != at) continue;
      for (int64_t d = 0; d < rows.width && count == 0; ++d)
        out.Set(at * rows.width + d, rows.numbers[i * rows.width + d]);
      ++count;
    }
    counts.Set(at, count);
  }
};

template <typename C>
struct ReducePoints {
  Out<C> out;
  In<C> features;
  In<int64_t> voxel;
  int64_t points, channels, how;

  DIOPI_HD void operator()(int64_t at) const {
    C result = C(0);
    int64_t count = 0;
    for (int64_t i = 0; i < points; ++i) {
      if (voxel[i] != at / channels) continue;
      const C x = features[i * channels + at % channels];
      if (how != kLargest) {
        result += x;
      } else if (count == 0 || x > result) {
        result = x;
      }
      ++count;
    }
    out.Set(at, how == kMean ? result / C(count) : result);
  }
};

template <typename C>
struct ReducePointsGradient {
  Out<C> out;
  In<C> grad, features, reduced;
  In<int64_t> voxel, counts;
  int64_t channels, how;

  DIOPI_HD void operator()(int64_t at) const {
    const int64_t point = at / channels, channel = at % channels, to = voxel[point];
    if (to < 0) return out.Set(at, C(0));
    const C g = grad[to * channels + channel];
    if (how != kLargest) return out.Set(at, how == kMean ? g / C(counts[to]) : g);
    bool largest = features[at] == reduced[to * channels + channel];
    for (int64_t i = 0; i < point && largest; ++i)
      largest = voxel[i] != to || features[i * channels + channel] != features[at];
    out.Set(at, largest ? g : C(0));
  }
};

void CheckReduceType(int64_t type) {
  Check(type == kSum || type == kMean || type == kLargest, "expected reduce_type 0, 1 or 2, got ", type);
}

}  // namespace

DIOPI_KERNEL(diopiDynamicPointToVoxelMmcv, a) {
  const Tensor features(a.feats), coors(a.coors);
  Check(features.rank() == 2 && coors.rank() == 2 && features.size(0) == coors.size(0), "feats of shape ",
        ShapeText(features.shape()), " do not fit coors of shape ", ShapeText(coors.shape()));
  CheckReduceType(a.reduce_type);
  const int64_t points = features.size(0), channels = features.size(1);
  const Queue queue(a.ctx);
  const VoxelRows rows{In<int64_t>(coors), points, coors.size(1)};
  const Scratch<uint8_t> first(queue, points);
  ForEach(queue, points, FirstOfVoxel{first, rows});
  const Tensor number(RequireTensor(a.ctx, {1}, diopi_dtype_int64));
  ForEach(queue, 1, CountFirst{Out<int64_t>(number), first, points});
  const int64_t voxels = HostNumber(queue, number);
  a.outlist[0] = RequireTensor(a.ctx, {voxels, channels}, features.dtype());
  a.outlist[1] = RequireTensor(a.ctx, {voxels, coors.size(1)}, coors.dtype());
  a.outlist[2] = RequireTensor(a.ctx, {points}, diopi_dtype_int32);
  a.outlist[3] = RequireTensor(a.ctx, {voxels}, diopi_dtype_int32);
  const Tensor reduced(a.outlist[0]), voxel(a.outlist[2]);
  ForEach(queue, points, VoxelOfPoint{Out<int64_t>(voxel), first, rows});
  ForEach(queue, voxels,
          VoxelNumbers{Out<int64_t>(Tensor(a.outlist[1])), Out<int64_t>(Tensor(a.outlist[3])),
                       In<int64_t>(voxel), rows});
  DispatchFloating(ResultType(reduced, {features}), [&]<typename C>() {
    ForEach(queue, reduced.numel(),
            ReducePoints<C>{Out<C>(reduced), In<C>(features), In<int64_t>(voxel), points, channels,
                            a.reduce_type});
  });
}

DIOPI_KERNEL(diopiDynamicPointToVoxelBackwardMmcv, a) {
  const Tensor out(a.grad_feats), grad(a.grad_reduced_feats), features(a.feats), reduced(a.reduced_feats),
      voxel(a.coors_idx), counts(a.reduce_count);
  Check(features.rank() == 2, "expected feats of 2 dimensions, got shape ", ShapeText(features.shape()));
  CheckReduceType(a.reduce_type);
  CheckShape(out, features.shape(), "grad_feats");
  CheckShape(voxel, {features.size(0)}, "coors_idx");
  CheckShape(reduced, {counts.numel(), features.size(1)}, "reduced_feats");
  CheckShape(grad, reduced.shape(), "grad_reduced_feats");
  DispatchFloating(ResultType(out, {grad, features}), [&]<typename C>() {
    ForEach(
        Queue(a.ctx), out.numel(),
        ReducePointsGradient<C>{Out<C>(out), In<C>(grad), In<C>(features), In<C>(reduced), In<int64_t>(voxel),
                                In<int64_t>(counts), features.size(1), a.reduce_type});
  });
}

}  // namespace diopi::ops::both
