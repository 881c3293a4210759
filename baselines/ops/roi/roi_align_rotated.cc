// Regions [image, center x, center y, width, height, angle] pooled into cells: the mean of samples of the
// rotated region, each interpolated between four elements.
#include "baselines/ops/roi/regions.h"

namespace diopi::ops::both {

DIOPI_KERNEL(diopiRoiAlignRotatedMmcv, a) {
  const Tensor out(a.output), x(a.input), rois(a.rois);
  const RoiSizes sizes =
      RoiSizesOf(x, rois, a.aligned_height, a.aligned_width, a.sampling_ratio, a.aligned, 6);
  CheckShape(out, {rois.size(0), sizes.channels, a.aligned_height, a.aligned_width}, "output");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const RoiRotated<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), sizes, a.clockwise, !a.aligned};
    ForEach(Queue(a.ctx), out.numel(), RoiMean<C, RoiRotated<C>>{Out<C>(out), In<C>(x), regions});
  });
}

DIOPI_KERNEL(diopiRoiAlignRotatedBackwardMmcv, a) {
  const Tensor out(a.bottom_grad), grad(a.top_grad), rois(a.rois);
  const RoiSizes sizes =
      RoiSizesOf(out, rois, a.aligned_height, a.aligned_width, a.sampling_ratio, a.aligned, 6);
  CheckShape(grad, {rois.size(0), sizes.channels, a.aligned_height, a.aligned_width}, "top_grad");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const RoiRotated<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), sizes, a.clockwise, !a.aligned};
    const Queue queue(a.ctx);
    ForEach(queue, out.size(0) * out.size(1),
            RoiMeanGradient<C, RoiRotated<C>>{Out<C>(out), Scratch<Sum<C>>(queue, out.numel()), In<C>(grad),
                                              regions, rois.size(0)});
  });
}

}  // namespace diopi::ops::both
