// nms: see nms_cpu.cc. The device finds all pairs that overlap too much, as many bits as there are pairs, and
// then decides, 64 boxes after 64, which are left. The host learns their number, which is the result's size.
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

// Which boxes of one word are left, one after the other; `covered` holds what those of earlier words cover.
struct KeepBoxesOfWord {
  const uint64_t* covers;
  const uint64_t* covered;
  uint8_t* kept;
  int64_t count, words, word;
  DIOPI_HD void operator()(int64_t) const {
    uint64_t gone = covered[word];
    for (int64_t b = 0, i = word * kWordBits; b < kWordBits && i < count; ++b, ++i) {
      kept[i] = (gone >> b & 1) == 0;
      if (kept[i] != 0) gone |= covers[i * words + word];
    }
  }
};

// What the boxes of one word that are left cover in a later word.
struct CoverLaterWords {
  const uint64_t* covers;
  const uint8_t* kept;
  uint64_t* covered;
  int64_t count, words, word;
  DIOPI_HD void operator()(int64_t later) const {
    const int64_t w = word + 1 + later;
    uint64_t bits = covered[w];
    for (int64_t b = 0, i = word * kWordBits; b < kWordBits && i < count; ++b, ++i) {
      if (kept[i] != 0) bits |= covers[i * words + w];
    }
    covered[w] = bits;
  }
};

struct NameBoxes {
  const int64_t* order;
  const int64_t* places;
  Out<int64_t> out;
  DIOPI_HD void operator()(int64_t i) const { out.Set(i, order[places[i]]); }
};

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
    uint64_t* const covered = queue.Buffer<uint64_t>(words);
    uint8_t* const kept = queue.Buffer<uint8_t>(count);
    queue.Zero(covered, words * static_cast<int64_t>(sizeof(uint64_t)));
    for (int64_t word = 0; word < words; ++word) {
      ForEach(queue, 1, KeepBoxesOfWord{covers, covered, kept, count, words, word});
      ForEach(queue, words - word - 1, CoverLaterWords{covers, kept, covered, count, words, word});
    }
    int64_t* const places = queue.Buffer<int64_t>(count);
    const int64_t left = Select(queue, kept, count, places);
    *out = RequireTensor(ctx, Shape{left}, diopi_dtype_int64);
    ForEach(queue, left, NameBoxes{order, places, Out<int64_t>(Tensor(*out))});
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiNms, a) {
  using namespace diopi::ops;
  cuda::Nms(a.ctx, a.out, a.boxes, a.confidence, a.iou_threshold);
}
