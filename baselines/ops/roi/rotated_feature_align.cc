// Features to which those at the center of each place's rotated box are added, or those at its center and its
// four corners.
#include <cmath>

#include "baselines/ops/roi/regions.h"

namespace diopi::ops::both {
namespace {

// The points of the box that belongs to one element of the images.
template <typename C>
struct FeatureBoxes {
  In<C> boxes;
  C scale;
  int64_t points, channels, height, width;

  DIOPI_HD int64_t Elements() const { return height * width; }
  DIOPI_HD RoiPlace<C> Place(int64_t box, int64_t point) const {
    using std::cos;
    using std::sin;
    const int64_t at = box * 5;
    C y = boxes[at] * scale, x = boxes[at + 1] * scale;
    if (point > 0) {
      const C half_width = boxes[at + 2] * scale / C(2), half_height = boxes[at + 3] * scale / C(2);
      const C cosine = cos(boxes[at + 4]), sine = sin(boxes[at + 4]);
      const C along_x = cosine * half_width, along_y = sine * half_width;
      const C across_x = -sine * half_height, across_y = cosine * half_height;
      const bool before = point == 2 || point == 3, above = point > 2;
      x = (before ? x - along_x : x + along_x) + (above ? -across_x : across_x);
      y = (before ? y - along_y : y + along_y) + (above ? -across_y : across_y);
    }
    return RoiPlace<C>(y, x, height, width);
  }
};

template <typename C>
struct FeatureSum {
  Out<C> out;
  In<C> x;
  FeatureBoxes<C> boxes;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t plane = i / boxes.Elements(), box = plane / boxes.channels * boxes.Elements();
    C sum = x[i];
    for (int64_t point = 0; point < boxes.points; ++point)
      sum += boxes.Place(box + i % boxes.Elements(), point).Of(x, plane * boxes.Elements());
    out.Set(i, sum);
  }
};

template <typename C>
struct FeatureGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;
  In<C> grad;
  FeatureBoxes<C> boxes;

  DIOPI_HD void operator()(int64_t plane) const {
    const int64_t count = boxes.Elements(), first = plane * count, box = plane / boxes.channels * count;
    for (int64_t k = 0; k < count; ++k) {
      sums[first + k] = Sum<C>();
      sums[first + k] += grad[first + k];
    }
    for (int64_t k = 0; k < count; ++k) {
      for (int64_t point = 0; point < boxes.points; ++point)
        boxes.Place(box + k, point).Spread(sums, first, grad[first + k], C(1));
    }
    for (int64_t k = 0; k < count; ++k) out.Set(first + k, sums[first + k].total());
  }
};

void CheckFeatureBoxes(const Tensor& x, const Tensor& boxes, int64_t points) {
  Check(x.rank() == 4, "expected features of 4 dimensions, got shape ", ShapeText(x.shape()));
  CheckShape(boxes, {x.size(0), x.size(2), x.size(3), 5}, "best_bboxes");
  Check(points == 1 || points == 5, "expected 1 or 5 points, got ", points);
}

template <typename C, typename Args>
FeatureBoxes<C> BoxesOf(const Args& a, const Tensor& x) {
  return {
      In<C>(Tensor(a.best_bboxes)), Rounded<C>(a.spatial_scale), a.points, x.size(1), x.size(2), x.size(3)};
}

}  // namespace

DIOPI_KERNEL(diopiRotatedFeatureAlignMmcv, a) {
  const Tensor out(a.output), x(a.features);
  CheckFeatureBoxes(x, Tensor(a.best_bboxes), a.points);
  CheckShape(out, x.shape(), "output");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), FeatureSum<C>{Out<C>(out), In<C>(x), BoxesOf<C>(a, x)});
  });
}

DIOPI_KERNEL(diopiRotatedFeatureAlignBackwardMmcv, a) {
  const Tensor out(a.bottom_grad), grad(a.top_grad);
  CheckFeatureBoxes(out, Tensor(a.best_bboxes), a.points);
  CheckShape(grad, out.shape(), "top_grad");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const Queue queue(a.ctx);
    ForEach(queue, out.size(0) * out.size(1),
            FeatureGradient<C>{Out<C>(out), Scratch<Sum<C>>(queue, out.numel()), In<C>(grad),
                               BoxesOf<C>(a, out)});
  });
}

}  // namespace diopi::ops::both
