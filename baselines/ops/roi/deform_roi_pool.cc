// Regions pooled into cells each of which is moved by an offset: the mean of the cell's samples, and the
// gradients of the images and of the offsets.
#include "baselines/ops/roi/regions.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// Regions whose cells are moved.
template <typename C>
struct RoiMoved {
  RoiUpright<C> regions;
  bool moved;
  In<C> offsets;  // [region, 2 (width, height), row, column]
  C gamma;

  // How far an offset of 1 moves a cell along a side (0: down, 1: across).
  DIOPI_HD C Reach(const RoiSamples<C>& samples, int side) const {
    return gamma * samples.step[side] * C(regions.sizes.cells[side]);
  }
  DIOPI_HD RoiSamples<C> Of(int64_t region, int64_t cell) const {
    RoiSamples<C> samples = regions.Of(region);
    const int64_t cells = regions.sizes.Cells();
    for (int side = 0; side < 2 && moved; ++side)
      samples.start[side] += Reach(samples, side) * offsets[(2 * region + 1 - side) * cells + cell];
    return samples;
  }
};

template <typename C>
struct DeformRoiMean {
  Out<C> out;
  In<C> x;
  RoiMoved<C> moved;

  DIOPI_HD void operator()(int64_t i) const {
    const RoiSizes& s = moved.regions.sizes;
    const int64_t cell = i % s.Cells(), plane = i / s.Cells();
    const RoiSamples<C> samples = moved.Of(plane / s.channels, cell);
    const int64_t first = (samples.image * s.channels + plane % s.channels) * s.Elements();
    Sum<C> sum;
    for (int64_t k = 0; k < samples.Count(); ++k) {
      C y = C(0), at = C(0);
      samples.At(cell / s.cells[1], cell % s.cells[1], k, &y, &at);
      sum += RoiPlace<C>(y, at, s.image[0], s.image[1]).Of(x, first);
    }
    out.Set(i, sum.total() / C(samples.Count() > 1 ? samples.Count() : 1));
  }
};

// The gradient of one plane of the images.
template <typename C>
struct DeformRoiGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;
  In<C> grad;
  RoiMoved<C> moved;
  int64_t count;  // of regions

  DIOPI_HD void operator()(int64_t plane) const {
    const RoiSizes& s = moved.regions.sizes;
    const int64_t first = plane * s.Elements();
    for (int64_t k = 0; k < s.Elements(); ++k) sums[first + k] = Sum<C>();
    for (int64_t region = 0; region < count; ++region) {
      for (int64_t cell = 0; cell < s.Cells(); ++cell) {
        const RoiSamples<C> samples = moved.Of(region, cell);
        if (samples.image != plane / s.channels) break;
        const C& gradient = grad[(region * s.channels + plane % s.channels) * s.Cells() + cell];
        for (int64_t k = 0; k < samples.Count(); ++k) {
          C y = C(0), x = C(0);
          samples.At(cell / s.cells[1], cell % s.cells[1], k, &y, &x);
          RoiPlace<C>(y, x, s.image[0], s.image[1]).Spread(sums, first, gradient, C(samples.Count()));
        }
      }
    }
    for (int64_t k = 0; k < s.Elements(); ++k) out.Set(first + k, sums[first + k].total());
  }
};

// The gradient of one offset: the slope of the image across (0) or down (1) at the cell's samples, of all
// channels.
template <typename C>
struct DeformRoiOffsetGradient {
  Out<C> out;
  In<C> grad, x;
  RoiMoved<C> moved;

  DIOPI_HD void operator()(int64_t i) const {
    const RoiSizes& s = moved.regions.sizes;
    const int64_t cell = i % s.Cells(), region = i / s.Cells() / 2;
    const int side = i / s.Cells() % 2 == 0 ? 1 : 0;
    const RoiSamples<C> samples = moved.Of(region, cell);
    C sum = C(0);
    for (int64_t channel = 0; channel < s.channels; ++channel) {
      const int64_t first = (samples.image * s.channels + channel) * s.Elements();
      C slope = C(0);
      for (int64_t k = 0; k < samples.Count(); ++k) {
        C y = C(0), at = C(0);
        samples.At(cell / s.cells[1], cell % s.cells[1], k, &y, &at);
        slope += Slope(first, y, at, side);
      }
      sum += slope * grad[(region * s.channels + channel) * s.Cells() + cell];
    }
    out.Set(i, sum * moved.Reach(samples, side) / C(samples.Count()));
  }

 private:
  DIOPI_HD C Slope(int64_t first, const C& y, const C& at, int side) const {
    const RoiSizes& s = moved.regions.sizes;
    const int64_t row = static_cast<int64_t>(y), column = static_cast<int64_t>(at);
    if (!(y > C(0) && at > C(0)) || row + 1 >= s.image[0] || column + 1 >= s.image[1]) return C(0);
    const auto element = [&](int64_t down, int64_t across) {
      return x[first + (row + down) * s.image[1] + column + across];
    };
    const C part = side == 1 ? y - C(row) : at - C(column);
    const C near = side == 1 ? element(0, 1) - element(0, 0) : element(1, 0) - element(0, 0);
    const C far = side == 1 ? element(1, 1) - element(1, 0) : element(1, 1) - element(0, 1);
    return near * (C(1) - part) + far * part;
  }
};

template <typename C, typename Args>
RoiMoved<C> MovedOf(const Args& a, const RoiSizes& sizes) {
  const Tensor rois(a.rois), offset(a.offset);
  RoiMoved<C> moved{
      {In<C>(rois), Rounded<C>(a.spatial_scale), sizes}, offset.numel() > 0, {}, Rounded<C>(a.gamma)};
  if (moved.moved) moved.offsets = In<C>(offset);
  return moved;
}

template <typename Args>
RoiSizes CheckedSizes(const Args& a, const Tensor& cells, const char* name) {
  const Tensor x(a.input), rois(a.rois), offset(a.offset);
  const RoiSizes sizes = RoiSizesOf(x, rois, a.pooled_height, a.pooled_width, a.sampling_ratio, true, 5);
  if (offset.numel() > 0) CheckShape(offset, {rois.size(0), 2, a.pooled_height, a.pooled_width}, "offset");
  CheckShape(cells, {rois.size(0), sizes.channels, a.pooled_height, a.pooled_width}, name);
  return sizes;
}

}  // namespace

DIOPI_KERNEL(diopiDeformRoiPoolMmcv, a) {
  const Tensor out(a.output), x(a.input);
  const RoiSizes sizes = CheckedSizes(a, out, "output");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), DeformRoiMean<C>{Out<C>(out), In<C>(x), MovedOf<C>(a, sizes)});
  });
}

DIOPI_KERNEL(diopiDeformRoiPoolBackwardMmcv, a) {
  const Tensor of_images(a.grad_input), of_offsets(a.grad_offset), grad(a.grad_output), x(a.input);
  const RoiSizes sizes = CheckedSizes(a, grad, "grad_output");
  CheckShape(of_images, x.shape(), "grad_input");
  CheckShape(of_offsets, Tensor(a.offset).shape(), "grad_offset");
  DispatchFloating(ResultType(of_images, {grad, x}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const RoiMoved<C> moved = MovedOf<C>(a, sizes);
    const In<C> g(grad);
    ForEach(
        queue, x.size(0) * x.size(1),
        DeformRoiGradient<C>{Out<C>(of_images), Scratch<Sum<C>>(queue, x.numel()), g, moved, grad.size(0)});
    ForEach(queue, of_offsets.numel(), DeformRoiOffsetGradient<C>{Out<C>(of_offsets), g, In<C>(x), moved});
  });
}

}  // namespace diopi::ops::both
