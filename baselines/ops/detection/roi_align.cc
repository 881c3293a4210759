// Regions of images pooled into cells: the mean of samples, each interpolated between four elements. A sample
// up to one element outside takes the border, a sample farther out counts as zero. The gradient gathers for
// each element the contributions of every region's samples, so that the order of additions is fixed.
#include <cmath>

#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// How far a sample lies between two elements of a line.
template <typename C>
struct Between {
  int64_t low = 0, high = 0;
  C upper = C(0);  // weight of the element at `high`
  bool inside = false;

  DIOPI_HD Between(C at, int64_t size) : inside(at >= C(-1) && at <= C(size)) {
    if (!inside) return;
    if (at <= C(0)) at = C(0);
    low = static_cast<int64_t>(at);
    if (low >= size - 1) {
      low = high = size - 1;
    } else {
      high = low + 1;
      upper = at - C(low);
    }
  }
  DIOPI_HD C WeightOf(int64_t k) const {
    C weight = C(0);
    if (!inside) return weight;
    if (k == low) weight = C(1) - upper;
    if (k == high && high != low) weight = upper;
    return weight;
  }
};

// One side of a region: cells of `step` elements, with as many samples in each.
template <typename C>
struct Side {
  C start, step;
  int64_t samples;
  DIOPI_HD C At(int64_t cell, int64_t sample) const {
    return start + C(cell) * step + (C(sample) + C(0.5)) * step / C(samples);
  }
};

struct Geometry {
  int64_t channels, sizes[2], cells[2];  // height, width
  int64_t ratio;
  bool aligned;
  int64_t images;
};

template <typename C>
struct Regions {
  In<C> rois;
  C scale;
  Geometry g;

  // -1 for the number of an image that there is not: such a region is empty.
  DIOPI_HD int64_t Image(int64_t region) const {
    const int64_t image = static_cast<int64_t>(rois[region * 5]);
    return image >= 0 && image < g.images ? image : -1;
  }
  // side: 0 for the height, 1 for the width.
  DIOPI_HD Side<C> SideOf(int64_t region, int side) const {
    using std::ceil;
    const C shift = C(g.aligned ? 0.5 : 0.0);
    const C start = rois[region * 5 + 2 - side] * scale - shift;
    const C end = rois[region * 5 + 4 - side] * scale - shift;
    C length = end - start;
    if (!g.aligned && length < C(1)) length = C(1);
    const C step = length / C(g.cells[side]);
    return {start, step, g.ratio > 0 ? g.ratio : static_cast<int64_t>(ceil(step))};
  }
};

template <typename C>
struct Pool {
  Out<C> out;
  In<C> x;
  Regions<C> regions;

  DIOPI_HD void operator()(int64_t i) const {
    const Geometry& g = regions.g;
    const int64_t column = i % g.cells[1], row = i / g.cells[1] % g.cells[0];
    const int64_t plane = i / g.cells[1] / g.cells[0], region = plane / g.channels;
    const Side<C> ys = regions.SideOf(region, 0), xs = regions.SideOf(region, 1);
    const int64_t image = (regions.Image(region) * g.channels + plane % g.channels) * g.sizes[0];
    Sum<C> sum;
    for (int64_t m = 0; m < ys.samples && image >= 0; ++m) {
      const Between<C> y(ys.At(row, m), g.sizes[0]);
      for (int64_t n = 0; n < xs.samples && y.inside; ++n) {
        const Between<C> at(xs.At(column, n), g.sizes[1]);
        if (at.inside) sum += Interpolated(image, y, at);
      }
    }
    const int64_t count = ys.samples * xs.samples;
    out.Set(i, sum.total() / C(count > 1 ? count : 1));
  }

 private:
  DIOPI_HD C Interpolated(int64_t image, const Between<C>& y, const Between<C>& at) const {
    const int64_t width = regions.g.sizes[1];
    const C top = C(1) - y.upper, left = C(1) - at.upper;
    return top * left * x[(image + y.low) * width + at.low] +
           top * at.upper * x[(image + y.low) * width + at.high] +
           y.upper * left * x[(image + y.high) * width + at.low] +
           y.upper * at.upper * x[(image + y.high) * width + at.high];
  }
};

template <typename C>
struct Spread {
  Out<C> out;
  In<C> grad;
  Regions<C> regions;
  int64_t count;  // of regions

  DIOPI_HD void operator()(int64_t i) const {
    const Geometry& g = regions.g;
    const int64_t plane = i / g.sizes[1] / g.sizes[0];
    Sum<C> sum;
    for (int64_t region = 0; region < count; ++region) {
      if (regions.Image(region) != plane / g.channels) continue;
      sum += FromRegion(region, plane % g.channels, i / g.sizes[1] % g.sizes[0], i % g.sizes[1]);
    }
    out.Set(i, sum.total());
  }

 private:
  DIOPI_HD C FromRegion(int64_t region, int64_t channel, int64_t row, int64_t column) const {
    const Geometry& g = regions.g;
    const Side<C> ys = regions.SideOf(region, 0), xs = regions.SideOf(region, 1);
    const int64_t samples = ys.samples * xs.samples;
    Sum<C> sum;
    for (int64_t m = 0; m < g.cells[0] * ys.samples; ++m) {
      const C down = Between<C>(ys.At(m / ys.samples, m % ys.samples), g.sizes[0]).WeightOf(row);
      if (down == C(0)) continue;
      const int64_t cells = ((region * g.channels + channel) * g.cells[0] + m / ys.samples) * g.cells[1];
      for (int64_t n = 0; n < g.cells[1] * xs.samples; ++n) {
        const C across = Between<C>(xs.At(n / xs.samples, n % xs.samples), g.sizes[1]).WeightOf(column);
        if (across == C(0)) continue;
        sum += grad[cells + n / xs.samples] * (down * across) / C(samples);
      }
    }
    return sum.total();
  }
};

void CheckRegions(const Tensor& rois, const Geometry& g) {
  Check(rois.rank() == 2 && rois.size(1) == 5, "expected rois of shape (K, 5), got ",
        ShapeText(rois.shape()));
  Check(g.cells[0] > 0 && g.cells[1] > 0, "expected at least one cell, got ", g.cells[0], " times ",
        g.cells[1]);
}

}  // namespace

DIOPI_KERNEL(diopiRoiAlign, a) {
  const Tensor out(a.out), x(a.input), rois(a.rois);
  Check(x.rank() == 4, "expected an input of 4 dimensions, got shape ", ShapeText(x.shape()));
  const Geometry g{
      x.size(1), {x.size(2), x.size(3)}, {a.pooled_height, a.pooled_width}, a.sampling_ratio, a.aligned,
      x.size(0)};
  CheckRegions(rois, g);
  CheckShape(out, {rois.size(0), g.channels, g.cells[0], g.cells[1]}, "out");
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const Regions<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), g};
    ForEach(Queue(a.ctx), out.numel(), Pool<C>{Out<C>(out), In<C>(x), regions});
  });
}

DIOPI_KERNEL(diopiRoiAlignBackward, a) {
  const Tensor out(a.out), grad(a.grad), rois(a.rois);
  const Geometry g{a.channels,       {a.height, a.width}, {a.pooled_height, a.pooled_width},
                   a.sampling_ratio, a.aligned,           a.batch_size};
  CheckRegions(rois, g);
  CheckShape(grad, {rois.size(0), g.channels, g.cells[0], g.cells[1]}, "grad");
  CheckShape(out, {a.batch_size, a.channels, a.height, a.width}, "out");
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const Regions<C> regions{In<C>(rois), Rounded<C>(a.spatial_scale), g};
    ForEach(Queue(a.ctx), out.numel(), Spread<C>{Out<C>(out), In<C>(grad), regions, rois.size(0)});
  });
}

}  // namespace diopi::ops::both
