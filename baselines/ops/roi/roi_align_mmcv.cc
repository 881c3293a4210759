// Regions of images pooled into cells by samples that are interpolated between four elements: their mean, or
// the largest with its place, to which alone the gradient then goes.
#include "baselines/ops/roi/regions.h"

namespace diopi::ops::both {
namespace {

constexpr int64_t kRoiAlignMax = 0, kRoiAlignMean = 1;

template <typename C>
struct RoiAlignLargest {
  Out<C> out, out_y, out_x;
  In<C> x;
  RoiUpright<C> regions;

  DIOPI_HD void operator()(int64_t i) const {
    const RoiSizes& s = regions.sizes;
    const int64_t column = i % s.cells[1], row = i / s.cells[1] % s.cells[0], plane = i / s.Cells();
    const RoiSamples<C> samples = regions.Of(plane / s.channels);
    const int64_t first = (samples.image * s.channels + plane % s.channels) * s.Elements();
    C largest = C(0), largest_y = C(-1), largest_x = C(-1);
    for (int64_t k = 0; k < samples.Count(); ++k) {
      C y = C(0), at = C(0);
      samples.At(row, column, k, &y, &at);
      const C value = RoiPlace<C>(y, at, s.image[0], s.image[1]).Of(x, first);
      if (k > 0 && !(value > largest)) continue;
      largest = value;
      largest_y = y;
      largest_x = at;
    }
    out.Set(i, largest);
    out_y.Set(i, largest_y);
    out_x.Set(i, largest_x);
  }
};

template <typename C>
struct RoiAlignLargestGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;
  In<C> grad, at_y, at_x, rois;
  RoiSizes sizes;
  int64_t count;  // of regions

  DIOPI_HD void operator()(int64_t plane) const {
    const int64_t first = plane * sizes.Elements();
    for (int64_t k = 0; k < sizes.Elements(); ++k) sums[first + k] = Sum<C>();
    for (int64_t region = 0; region < count; ++region) {
      if (static_cast<int64_t>(rois[region * 5]) != plane / sizes.channels) continue;
      const int64_t cells = (region * sizes.channels + plane % sizes.channels) * sizes.Cells();
      for (int64_t cell = cells; cell < cells + sizes.Cells(); ++cell) {
        if (at_y[cell] == C(-1)) continue;
        RoiPlace<C>(at_y[cell], at_x[cell], sizes.image[0], sizes.image[1])
            .Spread(sums, first, grad[cell], C(1));
      }
    }
    for (int64_t k = 0; k < sizes.Elements(); ++k) out.Set(first + k, sums[first + k].total());
  }
};

void CheckRoiAlignMode(int64_t mode) {
  Check(mode == kRoiAlignMax || mode == kRoiAlignMean, "expected pool_mode 0 or 1, got ", mode);
}

}  // namespace

DIOPI_KERNEL(diopiRoiAlignMmcv, a) {
  const Tensor out(a.output), x(a.input), rois(a.rois);
  const RoiSizes sizes =
      RoiSizesOf(x, rois, a.aligned_height, a.aligned_width, a.sampling_ratio, a.aligned, 5);
  CheckRoiAlignMode(a.pool_mode);
  const Shape shape = {rois.size(0), sizes.channels, a.aligned_height, a.aligned_width};
  CheckShape(out, shape, "output");
  if (a.pool_mode == kRoiAlignMax) {
    CheckShape(Tensor(a.argmax_y), shape, "argmax_y");
    CheckShape(Tensor(a.argmax_x), shape, "argmax_x");
  }
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const RoiUpright<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), sizes};
    const Queue queue(a.ctx);
    if (a.pool_mode == kRoiAlignMean) {
      ForEach(queue, out.numel(), RoiMean<C, RoiUpright<C>>{Out<C>(out), In<C>(x), regions});
    } else {
      ForEach(queue, out.numel(),
              RoiAlignLargest<C>{Out<C>(out), Out<C>(Tensor(a.argmax_y)), Out<C>(Tensor(a.argmax_x)),
                                 In<C>(x), regions});
    }
  });
}

DIOPI_KERNEL(diopiRoiAlignBackwardMmcv, a) {
  const Tensor out(a.grad_input), grad(a.grad_output), rois(a.rois), at_y(a.argmax_y), at_x(a.argmax_x);
  const RoiSizes sizes =
      RoiSizesOf(out, rois, a.aligned_height, a.aligned_width, a.sampling_ratio, a.aligned, 5);
  CheckRoiAlignMode(a.pool_mode);
  CheckShape(grad, {rois.size(0), sizes.channels, a.aligned_height, a.aligned_width}, "grad_output");
  if (a.pool_mode == kRoiAlignMax) {
    CheckShape(at_y, grad.shape(), "argmax_y");
    CheckShape(at_x, grad.shape(), "argmax_x");
  }
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const Scratch<Sum<C>> sums(queue, out.numel());
    const int64_t planes = out.size(0) * out.size(1), count = rois.size(0);
    if (a.pool_mode == kRoiAlignMean) {
      const RoiUpright<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), sizes};
      ForEach(queue, planes,
              RoiMeanGradient<C, RoiUpright<C>>{Out<C>(out), sums, In<C>(grad), regions, count});
    } else {
      ForEach(queue, planes,
              RoiAlignLargestGradient<C>{Out<C>(out), sums, In<C>(grad), In<C>(at_y), In<C>(at_x),
                                         In<C>(rois), sizes, count});
    }
  });
}

}  // namespace diopi::ops::both
