// Overlaps of turned boxes, and of boxes that are given by their corners. Both are computed relative to the
// middle between the boxes, as mmcv does, so that far from the origin nothing is lost.
#include "baselines/ops/boxes/rotated_overlap.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct TurnedOverlap {
  static constexpr int kNumbers = 5;
  In<C> a, b;

  DIOPI_HD C operator()(int64_t i, int64_t k, int64_t mode) const {
    const int64_t p = 5 * i, q = 5 * k;
    const C half = C(0.5), x = (a[p] - b[q]) * half, y = (a[p + 1] - b[q + 1]) * half;
    const C shared = SharedArea(TurnedBox<C>(x, y, a[p + 2], a[p + 3], a[p + 4]),
                                TurnedBox<C>(-x, -y, b[q + 2], b[q + 3], b[q + 4]));
    return PartOf<C>(shared, a[p + 2] * a[p + 3], b[q + 2] * b[q + 3], mode);
  }
};

template <typename C>
struct CornersOverlap {
  static constexpr int kNumbers = 8;
  In<C> a, b;

  DIOPI_HD C operator()(int64_t i, int64_t k, int64_t mode) const {
    C x = C(0), y = C(0);
    for (int64_t n = 0; n < 8; n += 2) {
      x += a[8 * i + n] + b[8 * k + n];
      y += a[8 * i + n + 1] + b[8 * k + n + 1];
    }
    // The same for both: a rounding of the middle moves nothing but the middle.
    const Corner<C> middle{AsGiven(x * C(0.125)), AsGiven(y * C(0.125))};
    const ConvexPolygon<C> first = Moved(a, 8 * i, middle), second = Moved(b, 8 * k, middle);
    using std::abs;
    return PartOf<C>(SharedArea(first, second), abs(first.TwiceArea()) * C(0.5),
                     abs(second.TwiceArea()) * C(0.5), mode);
  }

 private:
  DIOPI_HD static ConvexPolygon<C> Moved(const In<C>& corners, int64_t at, const Corner<C>& middle) {
    ConvexPolygon<C> polygon;
    for (int64_t n = at; n < at + 8; n += 2) polygon.Add({corners[n] - middle.x, corners[n + 1] - middle.y});
    return polygon;
  }
};

template <typename C, typename Overlap>
struct AllOverlaps {
  Out<C> out;
  Overlap overlap;
  int64_t columns, mode;  // columns 0: boxes of the same number

  DIOPI_HD void operator()(int64_t i) const {
    out.Set(i, columns == 0 ? overlap(i, i, mode) : overlap(i / columns, i % columns, mode));
  }
};

template <template <typename> typename Overlap, typename Args>
void OverlapKernel(const Args& a) {
  const Tensor out(a.ious), first(a.bboxes1), second(a.bboxes2);
  constexpr int64_t kNumbers = Overlap<float>::kNumbers;
  for (const Tensor& boxes : {first, second}) {
    Check(boxes.rank() == 2 && boxes.size(1) == kNumbers, "expected boxes of shape (count, ", kNumbers,
          "), got ", ShapeText(boxes.shape()));
  }
  Check(a.mode == 0 || a.mode == 1, "mode must be 0 or 1, got ", a.mode);
  Check(!a.aligned || first.size(0) == second.size(0), "aligned boxes come in pairs, got ", first.size(0),
        " and ", second.size(0));
  CheckShape(out, a.aligned ? Shape{first.size(0)} : Shape{first.size(0), second.size(0)}, "ious");
  DispatchFloating(ResultType(out, {first, second}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            AllOverlaps<C, Overlap<C> >{
                Out<C>(out), {In<C>(first), In<C>(second)}, a.aligned ? 0 : second.size(0), a.mode});
  });
}

}  // namespace

DIOPI_KERNEL(diopiBoxIouRotatedMmcv, a) {
  OverlapKernel<TurnedOverlap>(a);
}
DIOPI_KERNEL(diopiBoxIouQuadriMmcv, a) {
  OverlapKernel<CornersOverlap>(a);
}

}  // namespace diopi::ops::both
