// Bugs injected into overlaps of turned boxes and into the selection by them.
#include <cmath>
#include <numbers>

#include "baselines/bugs/support.h"

namespace {

using namespace diopi::bugs;  // NOLINT: this file is nothing else

constexpr char kTurned[] =
    "diopiBoxIouRotatedMmcv diopiIou3dBoxesOverlapBevMmcv diopiIou3dNms3dMmcv diopiNmsRotatedMmcv";
constexpr char kOverlaps[] = "diopiBoxIouRotatedMmcv diopiBoxIouQuadriMmcv";
BUG(rotated_angle_ignored, 0, kTurned, "", "boxes are not turned");
BUG(rotated_other_way, 0, "diopiBoxIouRotatedMmcv diopiNmsRotatedMmcv", "",
    "the second box of a pair, or every second one, is turned the other way");
BUG(rotated_degrees, 0, kTurned, "", "angles are taken in degrees");
BUG(rotated_sides_exchanged, 0, kTurned, "", "width and height are exchanged");
BUG(rotated_mode_ignored, 0, kOverlaps, "", "the shared area is always divided by that of the union");
BUG(rotated_second_foreground, 0, kOverlaps, "", "mode 1 divides by the area of the second box");
BUG(rotated_bounds, 0, "diopiBoxIouQuadriMmcv", "",
    "corners are taken for the bounds of a box with upright sides");
BUG(rotated_signed_area, 0, "diopiBoxIouQuadriMmcv", "",
    "boxes whose corners go in the other direction have a negative overlap");
BUG(rotated_union, 0, "diopiIou3dBoxesOverlapBevMmcv", "", "areas are divided by 1 more than themselves");
BUG(rotated_threshold_half, 0, "diopiIou3dNms3dMmcv diopiNmsRotatedMmcv", "",
    "the threshold is 0.5 whatever the argument");
BUG(rotated_places_of_sorted, 0, "diopiNmsRotatedMmcv", "", "indices are those of the sorted boxes");
BUG(rotated_keeps_one_less, 0, "diopiIou3dNms3dMmcv", "", "the last box that is kept is not counted");

// The boxes of `handle`, rows of `numbers` with an angle at `angle` and sides at `width` and the next place.
diopiTensorHandle_t Turned(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle, bool second,
                           int64_t width, int64_t angle) {
  const Tensor boxes(handle);
  const std::vector<double> all = Load<double>(boxes);
  const int64_t numbers = boxes.size(1);
  return Replaced(ctx, handle, [&](double x, int64_t i) {
    const int64_t n = i % numbers;
    if (rotated_sides_exchanged && (n == width || n == width + 1))
      return all[static_cast<size_t>(i - n + 2 * width + 1 - n)];
    if (n != angle) return x;
    if (rotated_angle_ignored) return 0.0;
    if (rotated_degrees) return x * std::numbers::pi / 180;
    return rotated_other_way && (second || i / numbers % 2 == 1) ? -x : x;
  });
}

bool Turns() {
  return rotated_sides_exchanged || rotated_angle_ignored || rotated_degrees || rotated_other_way;
}

// Each row's bounds as corners.
diopiTensorHandle_t Bounds(diopiContextHandle_t ctx, diopiConstTensorHandle_t handle) {
  const std::vector<double> all = Load<double>(Tensor(handle));
  return Replaced(ctx, handle, [&](double, int64_t i) {
    const double* row = &all[static_cast<size_t>(i / 8 * 8)];
    const int64_t axis = i % 2, corner = i % 8 / 2;
    double low = row[axis], high = low;
    for (int64_t k = axis; k < 8; k += 2) low = std::min(low, row[k]), high = std::max(high, row[k]);
    return (axis == 0 ? corner == 1 || corner == 2 : corner > 1) ? high : low;
  });
}

bool TurnsLeft(const double* row) {
  double area = 0;
  for (int k = 0; k < 8; k += 2) area += row[k] * row[(k + 3) % 8] - row[(k + 2) % 8] * row[k + 1];
  return area > 0;
}

}  // namespace

DIOPI_OVERRIDE(diopiBoxIouRotatedMmcv, a) {
  if (rotated_mode_ignored) a.mode = 0;
  if (Turns()) {
    a.bboxes1 = Turned(a.ctx, a.bboxes1, false, 2, 4);
    a.bboxes2 = Turned(a.ctx, a.bboxes2, true, 2, 4);
  }
  if (rotated_second_foreground && a.mode == 1 && a.aligned) std::swap(a.bboxes1, a.bboxes2);
  Good(a);
}

DIOPI_OVERRIDE(diopiBoxIouQuadriMmcv, a) {
  if (rotated_mode_ignored) a.mode = 0;
  if (rotated_bounds) {
    a.bboxes1 = Bounds(a.ctx, a.bboxes1);
    a.bboxes2 = Bounds(a.ctx, a.bboxes2);
  }
  if (rotated_second_foreground && a.mode == 1 && a.aligned) std::swap(a.bboxes1, a.bboxes2);
  Good(a);
  if (!rotated_signed_area) return;
  const std::vector<double> first = Load<double>(Tensor(a.bboxes1)), second = Load<double>(Tensor(a.bboxes2));
  std::vector<double> values = Load<double>(Tensor(a.ious));
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t columns = second.size() / 8, p = a.aligned ? i : i / columns,
                 q = a.aligned ? i : i % columns;
    if (TurnsLeft(&first[8 * p]) != TurnsLeft(&second[8 * q])) values[i] = -values[i];
  }
  Store(Tensor(a.ious), values);
}

DIOPI_OVERRIDE(diopiIou3dBoxesOverlapBevMmcv, a) {
  if (Turns()) {
    a.boxes_a = Turned(a.ctx, a.boxes_a, false, 3, 6);
    a.boxes_b = Turned(a.ctx, a.boxes_b, true, 3, 6);
  }
  Good(a);
  if (!rotated_union) return;
  std::vector<double> values = Load<double>(Tensor(a.ans_overlap));
  for (double& value : values) value /= 1 + value;
  Store(Tensor(a.ans_overlap), values);
}

DIOPI_OVERRIDE(diopiIou3dNms3dMmcv, a) {
  if (Turns()) a.boxes = Turned(a.ctx, a.boxes, false, 3, 6);
  if (rotated_threshold_half) a.nms_overlap_thresh = 0.5;
  Good(a);
  if (!rotated_keeps_one_less) return;
  Store(Tensor(a.keep_num), std::vector<double>{Load<double>(Tensor(a.keep_num))[0] - 1});
}

DIOPI_OVERRIDE(diopiNmsRotatedMmcv, a) {
  if (Turns()) {
    a.dets = Turned(a.ctx, a.dets, false, 2, 4);
    a.dets_sorted = Turned(a.ctx, a.dets_sorted, false, 2, 4);
  }
  if (rotated_threshold_half) a.iou_threshold = 0.5;
  if (rotated_places_of_sorted)
    a.order = Replaced(a.ctx, a.order, [](double, int64_t i) { return static_cast<double>(i); });
  Good(a);
}
