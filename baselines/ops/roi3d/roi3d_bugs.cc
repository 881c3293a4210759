// Bugs injected into the pooling of points in turned boxes.
#include <algorithm>

#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is nothing else

constexpr char kRoi3d[] = "diopiRoiawarePool3dMmcv diopiRoipointPool3dMmcv";
constexpr char kAware[] = "diopiRoiawarePool3dMmcv";
constexpr char kAwareBackward[] = "diopiRoiawarePool3dBackwardMmcv";
BUG(roi3d_not_turned, 0, kRoi3d, "", "boxes are not turned");
BUG(roi3d_other_way, 0, kRoi3d, "", "boxes are turned the other way");
BUG(roi3d_centre_above, 0, kRoi3d, "", "z is taken for the centre of the box");
BUG(roiaware_last_points, 0, kAware, "", "points are taken from the last to the first");
BUG(roiaware_no_room, 0, kAware, "", "the number of points of a voxel counts those without room");
BUG(roiaware_argmax_zero, 0, kAware, "", "argmax of a voxel without points is 0");
BUG(roiaware_mean_of_room, 0, kAware, "", "the mean divides by the room of a voxel");
BUG(roiaware_gradient_undivided, 0, kAwareBackward, "", "every point of a mean gets the whole gradient");
BUG(roiaware_gradient_first_box, 0, kAwareBackward, "", "boxes after the first add nothing to the gradient");
BUG(roipoint_zeros, 0, "diopiRoipointPool3dMmcv", "", "samples beyond the points of a box are zeros");
BUG(roipoint_last_repeated, 0, "diopiRoipointPool3dMmcv", "", "the last point of a box fills up the samples");
BUG(roipoint_flag_inverted, 0, "diopiRoipointPool3dMmcv", "", "the flag is 1 where there are points");

diopiConstTensorHandle_t Misplaced(diopiContextHandle_t ctx, diopiConstTensorHandle_t boxes) {
  const std::vector<double> all = Load<double>(Tensor(boxes));
  return Replaced(ctx, boxes, [&](double x, int64_t i) {
    if (roi3d_centre_above && i % 7 == 2) return x - all[static_cast<size_t>(i + 3)] / 2;
    if (i % 7 != 6) return x;
    return roi3d_not_turned ? 0 : roi3d_other_way ? -x : x;
  });
}

bool Misplaces() {
  return roi3d_not_turned || roi3d_other_way || roi3d_centre_above;
}

// Points in the opposite order, with the results as if they were not.
void LastPoints(diopiRoiawarePool3dMmcvArgs a, void (*good)(const diopiRoiawarePool3dMmcvArgs&)) {
  const auto reversed = [&](diopiConstTensorHandle_t tensor) {
    const std::vector<double> all = Load<double>(Tensor(tensor));
    const int64_t row = Tensor(tensor).size(1), last = Tensor(tensor).size(0) - 1;
    return Replaced(a.ctx, tensor, [&, row, last](double, int64_t i) {
      return all[static_cast<size_t>((last - i / row) * row + i % row)];
    });
  };
  const double last = static_cast<double>(Tensor(a.pts).size(0) - 1);
  a.pts = reversed(a.pts);
  a.pts_feature = reversed(a.pts_feature);
  good(a);
  const int64_t room = Tensor(a.pts_idx_of_voxels).size(4);
  const std::vector<double> counts = Load<double>(Tensor(a.pts_idx_of_voxels));
  Change(a.pts_idx_of_voxels, [&](double x, int64_t i) {
    const int64_t k = i % room;
    return k > 0 && static_cast<double>(k) <= counts[static_cast<size_t>(i - k)] ? last - x : x;
  });
  if (a.pool_method == 0) Change(a.argmax, [&](double x, int64_t) { return x < 0 ? x : last - x; });
}

}  // namespace

DIOPI_OVERRIDE(diopiRoiawarePool3dMmcv, a) {
  if (Misplaces()) a.rois = Misplaced(a.ctx, a.rois);
  if (roiaware_last_points) return LastPoints(a, Good);
  Good(a);
  const int64_t room = Tensor(a.pts_idx_of_voxels).size(4), channels = Tensor(a.pts_feature).size(1);
  const std::vector<double> counts = Load<double>(Tensor(a.pts_idx_of_voxels));
  if (roiaware_no_room) {
    Change(a.pts_idx_of_voxels, [&](double x, int64_t i) {
      return i % room == 0 && x == static_cast<double>(room - 1) ? x + 1 : x;
    });
  }
  if (roiaware_argmax_zero) Change(a.argmax, [](double x, int64_t) { return std::max(x, 0.0); });
  if (roiaware_mean_of_room && a.pool_method == 1) {
    Change(a.pooled_features, [&](double x, int64_t i) {
      return x * counts[static_cast<size_t>(i / channels * room)] / static_cast<double>(room - 1);
    });
  }
}

DIOPI_OVERRIDE(diopiRoiawarePool3dBackwardMmcv, a) {
  const int64_t room = Tensor(a.pts_idx_of_voxels).size(4), channels = Tensor(a.grad_in).size(1),
                box = Tensor(a.grad_out).numel() / std::max<int64_t>(Tensor(a.grad_out).size(0), 1);
  const std::vector<double> counts = Load<double>(Tensor(a.pts_idx_of_voxels));
  if (roiaware_gradient_undivided && a.pool_method == 1) {
    a.grad_out = Replaced(a.ctx, a.grad_out, [&](double x, int64_t i) {
      return x * counts[static_cast<size_t>(i / channels * room)];
    });
  }
  if (roiaware_gradient_first_box)
    a.grad_out = Replaced(a.ctx, a.grad_out, [&](double x, int64_t i) { return i < box ? x : 0.0; });
  Good(a);
}

DIOPI_OVERRIDE(diopiRoipointPool3dMmcv, a) {
  if (Misplaces()) a.boxes3d = Misplaced(a.ctx, a.boxes3d);
  Good(a);
  if (roipoint_flag_inverted) Change(a.pooled_empty_flag, [](double x, int64_t) { return 1 - x; });
  if (!roipoint_zeros && !roipoint_last_repeated) return;
  const Tensor out(a.pooled_features);
  std::vector<double> values = Load<double>(out);
  const auto samples = static_cast<size_t>(out.size(2)), width = static_cast<size_t>(out.size(3));
  for (size_t first = 0; first < values.size(); first += samples * width) {
    // The first sample comes again where the points end.
    size_t count = 1;
    const auto begin = values.begin() + static_cast<int64_t>(first);
    while (count < samples && !std::equal(begin, begin + static_cast<int64_t>(width),
                                          begin + static_cast<int64_t>(count * width)))
      ++count;
    for (size_t i = count * width; i < samples * width; ++i)
      values[first + i] = roipoint_zeros ? 0 : values[first + (count - 1) * width + i % width];
  }
  Store(out, values);
}
