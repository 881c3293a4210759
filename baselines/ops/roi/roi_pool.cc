// Regions of images pooled into cells: the largest of the whole elements that a cell touches, and its number
// in the plane, to which alone the gradient goes. A cell outside of the image is 0 and has the number -1.
#include <cmath>

#include "baselines/ops/roi/regions.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct RoiPoolLargest {
  Out<C> out;
  Out<int64_t> argmax;
  In<C> x, rois;
  C scale;
  RoiSizes s;

  DIOPI_HD void operator()(int64_t i) const {
    const int64_t cell[2] = {i / s.cells[1] % s.cells[0], i % s.cells[1]}, plane = i / s.Cells();
    const int64_t region = plane / s.channels;
    const int64_t image = s.Image(rois[region * 5]);
    const int64_t first = (image * s.channels + plane % s.channels) * s.Elements();
    int64_t begin[2], end[2];
    for (int side = 0; side < 2; ++side) Bounds(region * 5 + 2 - side, side, cell[side], begin, end);
    if (image < 0) end[0] = begin[0];
    C largest = C(0);
    int64_t at = -1;
    for (int64_t row = begin[0]; row < end[0]; ++row) {
      for (int64_t column = begin[1]; column < end[1]; ++column) {
        const int64_t element = row * s.image[1] + column;
        if (at >= 0 && !(x[first + element] > largest)) continue;
        largest = x[first + element];
        at = element;
      }
    }
    out.Set(i, largest);
    argmax.Set(i, at);
  }

 private:
  DIOPI_HD void Bounds(int64_t low, int side, int64_t cell, int64_t* begin, int64_t* end) const {
    using std::ceil;
    using std::floor;
    const C start = rois[low] * scale, stop = (rois[low + 2] + C(1)) * scale;
    const C step = (stop - start) / C(s.cells[side]);
    begin[side] = Within(static_cast<int64_t>(floor(C(cell) * step + start)), s.image[side]);
    end[side] = Within(static_cast<int64_t>(ceil(C(cell + 1) * step + start)), s.image[side]);
  }
  DIOPI_HD static int64_t Within(int64_t at, int64_t size) { return at < 0 ? 0 : at > size ? size : at; }
};

template <typename C>
struct RoiPoolGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;
  In<C> grad, rois;
  In<int64_t> argmax;
  RoiSizes s;
  int64_t count;  // of regions

  DIOPI_HD void operator()(int64_t plane) const {
    const int64_t first = plane * s.Elements();
    for (int64_t k = 0; k < s.Elements(); ++k) sums[first + k] = Sum<C>();
    for (int64_t region = 0; region < count; ++region) {
      if (static_cast<int64_t>(rois[region * 5]) != plane / s.channels) continue;
      const int64_t cells = (region * s.channels + plane % s.channels) * s.Cells();
      for (int64_t cell = cells; cell < cells + s.Cells(); ++cell) {
        if (argmax[cell] >= 0 && argmax[cell] < s.Elements()) sums[first + argmax[cell]] += grad[cell];
      }
    }
    for (int64_t k = 0; k < s.Elements(); ++k) out.Set(first + k, sums[first + k].total());
  }
};

}  // namespace

DIOPI_KERNEL(diopiRoiPoolMmcv, a) {
  const Tensor out(a.output), argmax(a.argmax), x(a.input), rois(a.rois);
  const RoiSizes sizes = RoiSizesOf(x, rois, a.pooled_height, a.pooled_width, 0, false, 5);
  CheckShape(out, {rois.size(0), sizes.channels, a.pooled_height, a.pooled_width}, "output");
  CheckShape(argmax, out.shape(), "argmax");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            RoiPoolLargest<C>{Out<C>(out), Out<int64_t>(argmax), In<C>(x), In<C>(rois),
                              Rounded<C>(a.spatial_scale), sizes});
  });
}

DIOPI_KERNEL(diopiRoiPoolBackwardMmcv, a) {
  const Tensor out(a.grad_input), grad(a.grad_output), rois(a.rois), argmax(a.argmax);
  const RoiSizes sizes = RoiSizesOf(out, rois, a.pooled_height, a.pooled_width, 0, false, 5);
  CheckShape(grad, {rois.size(0), sizes.channels, a.pooled_height, a.pooled_width}, "grad_output");
  CheckShape(argmax, grad.shape(), "argmax");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const Queue queue(a.ctx);
    ForEach(queue, out.size(0) * out.size(1),
            RoiPoolGradient<C>{Out<C>(out), Scratch<Sum<C>>(queue, out.numel()), In<C>(grad), In<C>(rois),
                               In<int64_t>(argmax), sizes, rois.size(0)});
  });
}

}  // namespace diopi::ops::both
