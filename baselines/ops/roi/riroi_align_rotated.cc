// Rotated regions of images whose channels are groups of orientations: the region's angle also turns the
// orientations, each result being mixed from two neighbours, in proportion to the angle's distance from
// theirs.
#include <cmath>

#include "baselines/ops/roi/regions.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// Which orientations of the images a region's orientations come from.
template <typename C>
struct RiroiTurn {
  int64_t turned, orientations;
  C weights[2];  // of the first of two orientations, and the next

  DIOPI_HD RiroiTurn(const C& angle, int64_t count) : orientations(count) {
    using std::floor;
    const C position = angle * C(count) / Rounded<C>(6.283185307179586476925);
    const C whole = floor(position);
    turned = (static_cast<int64_t>(whole) + count) % count;
    weights[1] = position - whole;
    weights[0] = C(1) - weights[1];
  }
  DIOPI_HD int64_t From(int64_t channel, int which) const {
    const int64_t orientation = channel % orientations;
    return channel - orientation + (orientation - turned + orientations + which) % orientations;
  }
};

template <typename C>
struct RiroiMean {
  Out<C> out;
  In<C> x;
  RoiRotated<C> regions;
  int64_t orientations;

  DIOPI_HD void operator()(int64_t i) const {
    const RoiSizes& s = regions.sizes;
    const int64_t column = i % s.cells[1], row = i / s.cells[1] % s.cells[0], plane = i / s.Cells();
    const int64_t region = plane / s.channels, channel = plane % s.channels;
    const RoiSamples<C> samples = regions.Of(region);
    const RiroiTurn<C> turn(regions.rois[region * 6 + 5], orientations);
    int64_t first[2];
    for (int which = 0; which < 2; ++which)
      first[which] = (samples.image * s.channels + turn.From(channel, which)) * s.Elements();
    Sum<C> sum;
    for (int64_t k = 0; k < samples.Count(); ++k) {
      C y = C(0), at = C(0);
      samples.At(row, column, k, &y, &at);
      const RoiPlace<C> place(y, at, s.image[0], s.image[1]);
      sum += turn.weights[0] * place.Of(x, first[0]) + turn.weights[1] * place.Of(x, first[1]);
    }
    out.Set(i, sum.total() / C(samples.Count() > 1 ? samples.Count() : 1));
  }
};

template <typename C>
struct RiroiGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;
  In<C> grad;
  RoiRotated<C> regions;
  int64_t orientations, count;  // count: of regions

  DIOPI_HD void operator()(int64_t plane) const {
    const RoiSizes& s = regions.sizes;
    const int64_t first = plane * s.Elements(), wanted = plane % s.channels;
    for (int64_t k = 0; k < s.Elements(); ++k) sums[first + k] = Sum<C>();
    for (int64_t region = 0; region < count; ++region) {
      const RoiSamples<C> samples = regions.Of(region);
      if (samples.image != plane / s.channels) continue;
      const RiroiTurn<C> turn(regions.rois[region * 6 + 5], orientations);
      const int64_t group = wanted - wanted % orientations;
      for (int64_t channel = group; channel < group + orientations; ++channel) {
        for (int which = 0; which < 2; ++which) {
          if (turn.From(channel, which) == wanted)
            Add(samples, (region * s.channels + channel) * s.Cells(), first, turn.weights[which]);
        }
      }
    }
    for (int64_t k = 0; k < s.Elements(); ++k) out.Set(first + k, sums[first + k].total());
  }

 private:
  DIOPI_HD void Add(const RoiSamples<C>& samples, int64_t cells, int64_t first, const C& weight) const {
    const RoiSizes& s = regions.sizes;
    for (int64_t cell = 0; cell < s.Cells(); ++cell) {
      for (int64_t k = 0; k < samples.Count(); ++k) {
        C y = C(0), x = C(0);
        samples.At(cell / s.cells[1], cell % s.cells[1], k, &y, &x);
        RoiPlace<C>(y, x, s.image[0], s.image[1])
            .Spread(sums, first, grad[cells + cell] * weight, C(samples.Count()));
      }
    }
  }
};

RoiSizes RiroiSizes(const Tensor& images, const Tensor& rois, int64_t height, int64_t width, int64_t samples,
                    int64_t orientations) {
  const RoiSizes sizes = RoiSizesOf(images, rois, height, width, samples, false, 6);
  Check(orientations > 0 && sizes.channels % orientations == 0, sizes.channels, " channels in groups of ",
        orientations, " orientations");
  return sizes;
}

}  // namespace

DIOPI_KERNEL(diopiRiroiAlignRotatedMmcv, a) {
  const Tensor out(a.output), x(a.features), rois(a.rois);
  const RoiSizes sizes =
      RiroiSizes(x, rois, a.pooled_height, a.pooled_width, a.num_samples, a.num_orientations);
  CheckShape(out, {rois.size(0), sizes.channels, a.pooled_height, a.pooled_width}, "output");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const RoiRotated<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), sizes, a.clockwise, true};
    ForEach(Queue(a.ctx), out.numel(), RiroiMean<C>{Out<C>(out), In<C>(x), regions, a.num_orientations});
  });
}

DIOPI_KERNEL(diopiRiroiAlignRotatedBackwardMmcv, a) {
  const Tensor out(a.bottom_grad), grad(a.top_grad), rois(a.rois);
  const RoiSizes sizes =
      RiroiSizes(out, rois, a.pooled_height, a.pooled_width, a.num_samples, a.num_orientations);
  CheckShape(grad, {rois.size(0), sizes.channels, a.pooled_height, a.pooled_width}, "top_grad");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const RoiRotated<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), sizes, a.clockwise, true};
    const Queue queue(a.ctx);
    ForEach(queue, out.size(0) * out.size(1),
            RiroiGradient<C>{Out<C>(out), Scratch<Sum<C>>(queue, out.numel()), In<C>(grad), regions,
                             a.num_orientations, rois.size(0)});
  });
}

}  // namespace diopi::ops::both
