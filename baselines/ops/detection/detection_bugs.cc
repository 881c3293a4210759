// Bugs injected in non-maximum suppression.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(nms_ties_suppressed, 66, "diopiNms", "", "an overlap equal to the threshold suppresses: >= for >");
BUG(nms_scores_rising, 0, "diopiNms", "", "boxes are taken by rising score");
BUG(nms_sides_plus_one, 0, "diopiNms", "", "a box is x2 - x1 + 1 wide and y2 - y1 + 1 high");
BUG(nms_suppressed_suppress, 0, "diopiNms", "", "a suppressed box suppresses others");
BUG(nms_overlap_of_smaller, 0, "diopiNms", "", "the overlap is measured against the smaller box");
BUG(nms_sides_may_be_negative, 0, "diopiNms", "", "boxes apart in both directions overlap");
BUG(nms_positions_of_sorted, 0, "diopiNms", "", "indices are positions in the order of the scores");

using Box = std::array<double, 4>;

double Area(const Box& b) {
  return (b[2] - b[0]) * (b[3] - b[1]);
}

double Overlap(const Box& a, const Box& b) {
  double width = std::min(a[2], b[2]) - std::max(a[0], b[0]);
  double height = std::min(a[3], b[3]) - std::max(a[1], b[1]);
  if (!nms_sides_may_be_negative) {
    width = std::max(width, 0.0);
    height = std::max(height, 0.0);
  }
  const double shared = width * height;
  if (nms_overlap_of_smaller) return shared / std::min(Area(a), Area(b));
  return shared / (Area(a) + Area(b) - shared);
}

// The whole of nms, in double, with what the injected bugs change.
std::vector<int64_t> Kept(const std::vector<double>& corners, const std::vector<double>& scores,
                          double threshold) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] > scores[b]; });
  std::vector<Box> boxes;
  boxes.reserve(order.size());
  for (size_t i : order)
    boxes.push_back({corners[4 * i], corners[4 * i + 1], corners[4 * i + 2], corners[4 * i + 3]});
  std::vector<bool> gone(boxes.size(), false);
  std::vector<int64_t> kept;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (!gone[i]) kept.push_back(static_cast<int64_t>(nms_positions_of_sorted ? i : order[i]));
    if (gone[i] && !nms_suppressed_suppress) continue;
    for (size_t j = i + 1; j < boxes.size(); ++j)
      gone[j] = gone[j] || Overlap(boxes[i], boxes[j]) > threshold;
  }
  return kept;
}

bool Rewritten() {
  return static_cast<bool>(nms_suppressed_suppress) || static_cast<bool>(nms_overlap_of_smaller) ||
         static_cast<bool>(nms_sides_may_be_negative) || static_cast<bool>(nms_positions_of_sorted);
}

}  // namespace

DIOPI_OVERRIDE(diopiNms, a) {
  if (Rewritten()) {
    const std::vector<int64_t> kept =
        Kept(Load<double>(Tensor(a.boxes)), Load<double>(Tensor(a.confidence)), a.iou_threshold);
    *a.out = NewTensor(a.ctx, {static_cast<int64_t>(kept.size())}, diopi_dtype_int64);
    return Store(Tensor(*a.out), kept);
  }
  if (nms_scores_rising) a.confidence = Replaced(a.ctx, a.confidence, [](double x, int64_t) { return -x; });
  if (nms_sides_plus_one) {
    a.boxes = Replaced(a.ctx, a.boxes, [](double x, int64_t i) { return i % 4 < 2 ? x : x + 1; });
  }
  // The largest number below the threshold: what exceeds it is at least the threshold.
  if (nms_ties_suppressed)
    a.iou_threshold = std::nextafter(a.iou_threshold, -std::numeric_limits<double>::infinity());
  Good(a);
}
