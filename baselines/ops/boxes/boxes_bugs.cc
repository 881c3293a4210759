// Bugs injected in functions of boxes.
#include <algorithm>
#include <cmath>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

constexpr char kHeld[] = "diopiPointsInBoxesPartMmcv diopiPointsInBoxesAllMmcv";
BUG(bbox_mode_ignored, 0, "diopiBboxOverlapsMmcv", "", "the union counts although mode is 1");
BUG(bbox_over_second, 0, "diopiBboxOverlapsMmcv", "", "mode 1 divides by the area of the second box");
BUG(bbox_offset_ignored, 0, "diopiBboxOverlapsMmcv", "", "sides are x2 - x1 long, whatever the offset");
BUG(bbox_sides_negative, 0, "diopiBboxOverlapsMmcv", "", "boxes apart in both directions overlap");
BUG(bbox_always_offset, 0, "diopiBboxOverlapsMmcv", "", "sides are x2 - x1 + 1 long, whatever the offset");
BUG(points_turned_back, 0, kHeld, "", "boxes are turned by -rz");
BUG(points_not_turned, 0, kHeld, "", "rz is ignored");
BUG(points_centre_for_bottom, 0, kHeld, "", "z is the centre of a box instead of its bottom");
BUG(points_sides_inside, 0, kHeld, "", "points on a side along x or y lie inside");
BUG(points_top_outside, 0, kHeld, "", "points on the top lie outside");
BUG(points_last_box, 0, "diopiPointsInBoxesPartMmcv", "",
    "the last box that holds a point instead of the first");

double Overlap(const double* a, const double* b, bool over_first, double offset) {
  double sides[2];
  for (int d = 0; d < 2; ++d) {
    sides[d] = std::min(a[d + 2], b[d + 2]) - std::max(a[d], b[d]) + offset;
    if (!bbox_sides_negative) sides[d] = std::max(sides[d], 0.0);
  }
  const double shared = sides[0] * sides[1];
  const double area = (a[2] - a[0] + offset) * (a[3] - a[1] + offset);
  const double other = (b[2] - b[0] + offset) * (b[3] - b[1] + offset);
  if (over_first) return shared / (bbox_over_second ? other : area);
  return shared / (area + other - shared);
}

// The boxes with one of their seven numbers changed: changed(number, its place in the box, the box).
template <typename F>
diopiConstTensorHandle_t ChangedBoxes(diopiContextHandle_t ctx, diopiConstTensorHandle_t boxes, F&& changed) {
  const std::vector<double> all = Load<double>(Tensor(boxes));
  return Replaced(ctx, boxes, [&](double x, int64_t i) {
    return changed(x, i % 7, all.data() + static_cast<size_t>(i / 7 * 7));
  });
}

template <typename Args>
void Held(Args a) {
  if (points_turned_back)
    a.boxes =
        ChangedBoxes(a.ctx, a.boxes, [](double x, int64_t n, const double*) { return n == 6 ? -x : x; });
  if (points_not_turned)
    a.boxes = ChangedBoxes(a.ctx, a.boxes, [](double x, int64_t n, const double*) { return n == 6 ? 0 : x; });
  if (points_centre_for_bottom)
    a.boxes = ChangedBoxes(
        a.ctx, a.boxes, [](double x, int64_t n, const double* box) { return n == 2 ? x - box[5] / 2 : x; });
  if (points_sides_inside)
    a.boxes = ChangedBoxes(
        a.ctx, a.boxes, [](double x, int64_t n, const double*) { return n == 3 || n == 4 ? x + 0.0625 : x; });
  if (points_top_outside)
    a.boxes = ChangedBoxes(a.ctx, a.boxes,
                           [](double x, int64_t n, const double*) { return n == 5 ? x - 0.0625 : x; });
  Good(a);
}

}  // namespace

DIOPI_OVERRIDE(diopiBboxOverlapsMmcv, a) {
  if (bbox_mode_ignored) a.mode = 0;
  if (bbox_offset_ignored) a.offset = 0;
  if (bbox_always_offset) a.offset = 1;
  if (!bbox_over_second && !bbox_sides_negative) return Good(a);
  const std::vector<double> first = Load<double>(Tensor(a.bboxes1)), second = Load<double>(Tensor(a.bboxes2));
  const Tensor out(a.ious);
  const auto columns = static_cast<size_t>(a.aligned ? 1 : Tensor(a.bboxes2).size(0));
  std::vector<double> overlaps(static_cast<size_t>(out.numel()));
  for (size_t i = 0; i < overlaps.size(); ++i) {
    const size_t other = a.aligned ? i : i % columns;
    overlaps[i] =
        Overlap(&first[4 * (i / columns)], &second[4 * other], a.mode == 1, static_cast<double>(a.offset));
  }
  Store(out, overlaps);
}

DIOPI_OVERRIDE(diopiPointsInBoxesPartMmcv, a) {
  if (!points_last_box) return Held(a);
  // Box by box, each overwrites what an earlier one wrote.
  const Tensor out(a.box_idx_of_points), boxes(a.boxes);
  const int64_t count = boxes.size(1), per_batch = out.size(1);
  const diopiTensorHandle_t flags = NewTensor(a.ctx, {out.size(0), per_batch, count}, diopi_dtype_int32);
  Store(Tensor(flags), std::vector<int64_t>(static_cast<size_t>(out.numel() * count)));
  diopiPointsInBoxesAllMmcv(a.ctx, flags, a.boxes, a.pts);
  const std::vector<int64_t> held = Load<int64_t>(Tensor(flags));
  std::vector<int64_t> last = Load<int64_t>(out);
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] != 0) last[i / static_cast<size_t>(count)] = static_cast<int64_t>(i) % count;
  }
  Store(out, last);
}
DIOPI_OVERRIDE(diopiPointsInBoxesAllMmcv, a) {
  Held(a);
}
