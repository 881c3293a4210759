// Voxels as other correct libraries compute them: by a map from rows, in which the points come in the
// opposite order.
#include <algorithm>
#include <map>
#include <vector>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

VARIANT(point_to_voxel_by_map, "diopiDynamicPointToVoxelMmcv", "",
        "rows in a map; features are added from the last point on, and a mean is multiplied by a reciprocal");

template <typename C>
void ByMap(const diopiDynamicPointToVoxelMmcvArgs& a) {
  const Tensor coors(a.coors), features(a.feats);
  const std::vector<int64_t> numbers = Load<int64_t>(coors);
  const std::vector<C> values = Load<C>(features);
  const auto width = static_cast<size_t>(coors.size(1)), channels = static_cast<size_t>(features.size(1)),
             points = static_cast<size_t>(features.size(0));
  std::map<std::vector<int64_t>, std::vector<size_t> > voxels;
  for (size_t i = points; i-- > 0;) {
    const auto begin = numbers.begin() + static_cast<int64_t>(i * width);
    const std::vector<int64_t> row(begin, begin + static_cast<int64_t>(width));
    if (*std::min_element(row.begin(), row.end()) >= 0) voxels[row].push_back(i);
  }
  std::vector<C> reduced;
  std::vector<int64_t> rows, counts, voxel(points, -1);
  for (const auto& [row, members] : voxels) {
    rows.insert(rows.end(), row.begin(), row.end());
    for (const size_t i : members) voxel[i] = static_cast<int64_t>(counts.size());
    for (size_t c = 0; c < channels; ++c) {
      C result = values[members[0] * channels + c];
      for (size_t k = 1; k < members.size(); ++k) {
        const C x = values[members[k] * channels + c];
        result = a.reduce_type == 2 ? std::max(result, x) : result + x;
      }
      reduced.push_back(a.reduce_type == 1 ? result * (C(1) / static_cast<C>(members.size())) : result);
    }
    counts.push_back(static_cast<int64_t>(members.size()));
  }
  const auto count = static_cast<int64_t>(counts.size());
  a.outlist[0] = RequireTensor(a.ctx, {count, features.size(1)}, features.dtype());
  a.outlist[1] = RequireTensor(a.ctx, {count, coors.size(1)}, coors.dtype());
  a.outlist[2] = RequireTensor(a.ctx, {features.size(0)}, diopi_dtype_int32);
  a.outlist[3] = RequireTensor(a.ctx, {count}, diopi_dtype_int32);
  Store(Tensor(a.outlist[0]), reduced);
  Store(Tensor(a.outlist[1]), rows);
  Store(Tensor(a.outlist[2]), voxel);
  Store(Tensor(a.outlist[3]), counts);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: this file is kernels

DIOPI_OVERRIDE(diopiDynamicPointToVoxelMmcv, a) {
  if (!point_to_voxel_by_map) return Good(a);
  if (diopi::ops::Tensor(a.feats).dtype() == diopi_dtype_float64) return ByMap<double>(a);
  ByMap<float>(a);
}
