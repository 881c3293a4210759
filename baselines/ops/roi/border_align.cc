// The largest of the samples along each border of a box, each border in channels of its own: top, left,
// bottom, right. The first two begin at the box's first corner, the others at its last. The gradient goes to
// the largest sample.
#include "baselines/ops/roi/regions.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct Borders {
  In<C> boxes;
  int64_t pool_size, channels, height, width;  // channels: of one border

  DIOPI_HD int64_t Elements() const { return height * width; }
  DIOPI_HD int64_t Plane(int64_t image, int64_t border, int64_t channel) const {
    return (image * 4 + border) * channels + channel;
  }
  // The start of a border, and the step from one sample to the next.
  DIOPI_HD void Line(int64_t box, int64_t border, C* y, C* x, C* step_y, C* step_x) const {
    const int64_t at = box * 4, corner = at + border / 2 * 2;
    *x = boxes[corner];
    *y = boxes[corner + 1];
    const bool level = border % 2 == 0;
    const C length = level ? boxes[at + 2] - boxes[at] : boxes[at + 3] - boxes[at + 1];
    const C step = length / C(pool_size);
    *step_x = level ? (border == 2 ? -step : step) : C(0);
    *step_y = level ? C(0) : (border == 3 ? -step : step);
  }
};

template <typename C>
struct BorderLargest {
  Out<C> out;
  Out<int64_t> argmax;
  In<C> input;
  Borders<C> b;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t border = i % 4, place = i / 4 % b.Elements(), plane = i / 4 / b.Elements();
    const int64_t image = plane / b.channels;
    const int64_t first = b.Plane(image, border, plane % b.channels) * b.Elements();
    C y = C(0), x = C(0), step_y = C(0), step_x = C(0);
    b.Line(image * b.Elements() + place, border, &y, &x, &step_y, &step_x);
    C largest = RoiPlace<C>(y, x, b.height, b.width).Of(input, first);
    int64_t at = 0;
    for (int64_t k = 1; k <= b.pool_size; ++k) {
      x += step_x;
      y += step_y;
      const C value = RoiPlace<C>(y, x, b.height, b.width).Of(input, first);
      if (!(value > largest)) continue;
      largest = value;
      at = k;
    }
    out.Set(i, largest);
    argmax.Set(i, at);
  }
};

template <typename C>
struct BorderGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;
  In<C> grad;
  In<int64_t> argmax;
  Borders<C> b;

  DIOPI_HD void operator()(int64_t plane) const {
    const int64_t count = b.Elements(), first = plane * count;
    const int64_t image = plane / b.channels / 4, border = plane / b.channels % 4;
    for (int64_t k = 0; k < count; ++k) sums[first + k] = Sum<C>();
    for (int64_t k = 0; k < count; ++k) {
      const int64_t cell = ((image * b.channels + plane % b.channels) * count + k) * 4 + border;
      C y = C(0), x = C(0), step_y = C(0), step_x = C(0);
      b.Line(image * count + k, border, &y, &x, &step_y, &step_x);
      const C steps = C(argmax[cell]);
      RoiPlace<C>(y + step_y * steps, x + step_x * steps, b.height, b.width)
          .Spread(sums, first, grad[cell], C(1));
    }
    for (int64_t k = 0; k < count; ++k) out.Set(first + k, sums[first + k].total());
  }
};

void CheckBorders(const Tensor& x, const Tensor& boxes, int64_t pool_size) {
  Check(x.rank() == 4 && x.size(1) % 4 == 0,
        "expected images of 4 dimensions and four groups of channels, got shape ", ShapeText(x.shape()));
  CheckShape(boxes, {x.size(0), x.size(2) * x.size(3), 4}, "boxes");
  Check(pool_size > 0, "expected a positive pool_size, got ", pool_size);
}

template <typename C, typename Args>
Borders<C> BordersOf(const Args& a, const Tensor& x) {
  return {In<C>(Tensor(a.boxes)), a.pool_size, x.size(1) / 4, x.size(2), x.size(3)};
}

}  // namespace

DIOPI_KERNEL(diopiBorderAlignMmcv, a) {
  const Tensor out(a.output), argmax(a.argmax_idx), x(a.input);
  CheckBorders(x, Tensor(a.boxes), a.pool_size);
  CheckShape(out, {x.size(0), x.size(1) / 4, x.size(2) * x.size(3), 4}, "output");
  CheckShape(argmax, out.shape(), "argmax_idx");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            BorderLargest<C>{Out<C>(out), Out<int64_t>(argmax), In<C>(x), BordersOf<C>(a, x)});
  });
}

DIOPI_KERNEL(diopiBorderAlignBackwardMmcv, a) {
  const Tensor out(a.grad_input), grad(a.grad_output), argmax(a.argmax_idx);
  CheckBorders(out, Tensor(a.boxes), a.pool_size);
  CheckShape(grad, {out.size(0), out.size(1) / 4, out.size(2) * out.size(3), 4}, "grad_output");
  CheckShape(argmax, grad.shape(), "argmax_idx");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const Queue queue(a.ctx);
    ForEach(queue, out.size(0) * out.size(1),
            BorderGradient<C>{Out<C>(out), Scratch<Sum<C>>(queue, out.numel()), In<C>(grad),
                              In<int64_t>(argmax), BordersOf<C>(a, out)});
  });
}

}  // namespace diopi::ops::both
