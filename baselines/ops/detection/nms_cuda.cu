// nms: see nms_cpu.cc. The device finds all pairs that overlap too much. The host then decides which boxes
// are left, because this takes one box after the other, and their number is the result's size.
#include <vector>

#include "baselines/ops/detection/nms_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/sort.h"

namespace diopi::ops::cuda {
namespace {

constexpr int64_t kWordBits = 64;

template <typename C>
struct SortBoxes {
  In<C> boxes;
  const int64_t* order;
  C* sorted;
  DIOPI_HD void operator()(int64_t i) const { sorted[i] = boxes[4 * order[i / 4] + i % 4]; }
};

// Bit b of word w of box i, both in sorted order: box 64 w + b comes after i and overlaps it too much.
template <typename C>
struct CoverBoxes {
  const C* boxes;
  int64_t count, words;
  double threshold;
  uint64_t* covers;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t better = i / words, first = i % words * kWordBits;
    uint64_t word = 0;
    for (int64_t b = 0; b < kWordBits && first + b < count; ++b) {
      if (first + b <= better) continue;
      const C overlap = Overlap(boxes + 4 * better, boxes + 4 * (first + b));
      if (static_cast<double>(overlap) > threshold) word |= uint64_t{1} << b;
    }
    covers[i] = word;
  }
};

template <typename T>
std::vector<T> OnHost(const Queue& queue, const T* data, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  queue.CopyToHost(values.data(), data, count * static_cast<int64_t>(sizeof(T)));
  return values;
}

std::vector<int64_t> KeptBoxes(const std::vector<int64_t>& order, const std::vector<uint64_t>& covers) {
  const size_t words = order.empty() ? 0 : covers.size() / order.size();
  std::vector<uint64_t> covered(words, 0);
  std::vector<int64_t> kept;
  for (size_t i = 0; i < order.size(); ++i) {
    if ((covered[i / kWordBits] >> (i % kWordBits) & 1) != 0) continue;
    kept.push_back(order[i]);
    for (size_t w = i / kWordBits; w < words; ++w) covered[w] |= covers[i * words + w];
  }
  return kept;
}

void Nms(diopiContextHandle_t ctx, diopiTensorHandle_t* out, const Tensor& boxes, const Tensor& scores,
         double threshold) {
  CheckBoxes(boxes, scores);
  const Queue queue(ctx);
  const int64_t count = boxes.size(0), words = (count + kWordBits - 1) / kWordBits;
  DispatchFloating(ResultType(Tensor(), {boxes, scores}), [&]<typename C>() {
    const In<C> corners(boxes), confidence(scores);
    int64_t* const order = queue.Buffer<int64_t>(count);
    uint64_t* const covers = queue.Buffer<uint64_t>(count * words);
    C* const sorted = queue.Buffer<C>(4 * count);
    SortRows<C>(queue, confidence, 1, count, true, order);
    ForEach(queue, 4 * count, SortBoxes<C>{corners, order, sorted});
    ForEach(queue, count * words, CoverBoxes<C>{sorted, count, words, threshold, covers});
    const std::vector<int64_t> kept =
        KeptBoxes(OnHost(queue, order, count), OnHost(queue, covers, count * words));
    const auto left = static_cast<int64_t>(kept.size());
    *out = RequireTensor(ctx, Shape{left}, diopi_dtype_int64);
    queue.CopyToDevice(Tensor(*out).writable(), kept.data(), left * static_cast<int64_t>(sizeof(int64_t)));
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNms, a) {
  using namespace diopi::ops;
  cuda::Nms(a.ctx, a.out, a.boxes, a.confidence, a.iou_threshold);
}
