// Regions of images pooled into cells: the mean of the interpolated image over the cell, integrated exactly.
// Beyond the image lie zeros. There is a gradient of the images and one of the regions.
#include <cmath>

#include "baselines/ops/roi/regions.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

// The integrals, between two places, of the hats of the elements at both ends of a segment of length 1.
template <typename C>
struct PrSegment {
  C weight[2];

  DIOPI_HD PrSegment(const C& from, const C& to, int64_t segment) {
    const C low = C(segment), high = C(segment + 1);
    const C start = from > low ? from : low, end = to < high ? to : high;
    weight[0] = Integral(start - low, end - low);
    weight[1] = Integral(high - end, high - start);
  }

 private:
  DIOPI_HD static C Integral(const C& from, const C& to) {
    return to - C(0.5) * to * to - from + C(0.5) * from * from;
  }
};

template <typename C>
struct PrCell {
  C from[2], to[2], size;

  DIOPI_HD int64_t Begin(int side) const {
    using std::floor;
    return static_cast<int64_t>(floor(from[side]));
  }
  DIOPI_HD int64_t End(int side) const {
    using std::ceil;
    return static_cast<int64_t>(ceil(to[side]));
  }
};

template <typename C>
struct PrRegions {
  In<C> rois;
  C scale;
  RoiSizes sizes;

  DIOPI_HD int64_t Image(int64_t region) const { return sizes.Image(rois[region * 5]); }
  DIOPI_HD PrCell<C> Cell(int64_t region, int64_t cell) const {
    const int64_t number[2] = {cell / sizes.cells[1], cell % sizes.cells[1]};
    PrCell<C> result;
    result.size = C(1);
    for (int side = 0; side < 2; ++side) {
      const C start = rois[region * 5 + 2 - side] * scale, end = rois[region * 5 + 4 - side] * scale;
      const C step = (end > start ? end - start : C(0)) / C(sizes.cells[side]);
      result.from[side] = start + step * C(number[side]);
      result.to[side] = result.from[side] + step;
      result.size = result.size * step;
    }
    return result;
  }
  DIOPI_HD bool Inside(int64_t row, int64_t column) const {
    return row >= 0 && column >= 0 && row < sizes.image[0] && column < sizes.image[1];
  }
};

template <typename C>
struct PrMean {
  Out<C> out;
  In<C> x;
  PrRegions<C> regions;

  DIOPI_HD void operator()(int64_t i) const {
    const RoiSizes& s = regions.sizes;
    const int64_t plane = i / s.Cells(), region = plane / s.channels;
    PrCell<C> cell = regions.Cell(region, i % s.Cells());
    if (regions.Image(region) < 0) cell.size = C(0);
    const int64_t first = (regions.Image(region) * s.channels + plane % s.channels) * s.Elements();
    Sum<C> sum;
    for (int64_t column = cell.Begin(1); column < cell.End(1) && !(cell.size == C(0)); ++column) {
      const PrSegment<C> across(cell.from[1], cell.to[1], column);
      for (int64_t row = cell.Begin(0); row < cell.End(0); ++row) {
        const PrSegment<C> down(cell.from[0], cell.to[0], row);
        for (int k = 0; k < 4; ++k) {
          if (regions.Inside(row + k / 2, column + k % 2))
            sum += x[first + (row + k / 2) * s.image[1] + column + k % 2] *
                   (across.weight[k % 2] * down.weight[k / 2]);
        }
      }
    }
    out.Set(i, cell.size == C(0) ? C(0) : sum.total() / cell.size);
  }
};

template <typename C>
struct PrGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;
  In<C> grad;
  PrRegions<C> regions;
  int64_t count;  // of regions

  DIOPI_HD void operator()(int64_t plane) const {
    const RoiSizes& s = regions.sizes;
    const int64_t first = plane * s.Elements();
    for (int64_t k = 0; k < s.Elements(); ++k) sums[first + k] = Sum<C>();
    for (int64_t region = 0; region < count; ++region) {
      if (regions.Image(region) != plane / s.channels) continue;
      for (int64_t k = 0; k < s.Cells(); ++k) {
        const PrCell<C> cell = regions.Cell(region, k);
        if (cell.size == C(0)) continue;
        Add(cell, grad[(region * s.channels + plane % s.channels) * s.Cells() + k] / cell.size, first);
      }
    }
    for (int64_t k = 0; k < s.Elements(); ++k) out.Set(first + k, sums[first + k].total());
  }

 private:
  DIOPI_HD void Add(const PrCell<C>& cell, const C& gradient, int64_t first) const {
    for (int64_t column = cell.Begin(1); column < cell.End(1); ++column) {
      const PrSegment<C> across(cell.from[1], cell.to[1], column);
      for (int64_t row = cell.Begin(0); row < cell.End(0); ++row) {
        const PrSegment<C> down(cell.from[0], cell.to[0], row);
        for (int k = 0; k < 4; ++k) {
          if (regions.Inside(row + k / 2, column + k % 2))
            sums[first + (row + k / 2) * regions.sizes.image[1] + column + k % 2] +=
                gradient * (across.weight[k % 2] * down.weight[k / 2]);
        }
      }
    }
  }
};

// The gradient of one region's corners, over all channels and cells.
template <typename C>
struct PrCornerGradient {
  Out<C> out;
  In<C> pooled, grad, x;
  PrRegions<C> regions;

  DIOPI_HD void operator()(int64_t region) const {
    const RoiSizes& s = regions.sizes;
    Sum<C> sums[4];  // x1, y1, x2, y2
    for (int64_t i = 0; i < s.channels * s.Cells(); ++i) {
      const int64_t at = region * s.channels * s.Cells() + i, cell = i % s.Cells();
      const PrCell<C> bounds = regions.Cell(region, cell);
      if (bounds.size == C(0) || grad[at] == C(0) || regions.Image(region) < 0) continue;
      const int64_t first = (regions.Image(region) * s.channels + i / s.Cells()) * s.Elements();
      for (int side = 0; side < 2; ++side) {
        const int64_t number = side == 0 ? cell / s.cells[1] : cell % s.cells[1];
        const C other = bounds.to[1 - side] - bounds.from[1 - side], all = C(s.cells[side]);
        C low = -Edge(bounds, side, bounds.from[side], first) + other * pooled[at];
        C high = Edge(bounds, side, bounds.to[side], first) - other * pooled[at];
        low = low / bounds.size * regions.scale;
        high = high / bounds.size * regions.scale;
        sums[1 - side] += (low * (C(1) - C(number) / all) + high * (C(1) - C(number + 1) / all)) * grad[at];
        sums[3 - side] += (high * C(number + 1) / all + low * C(number) / all) * grad[at];
      }
    }
    out.Set(region * 5, C(0));
    for (int k = 0; k < 4; ++k) out.Set(region * 5 + 1 + k, sums[k].total());
  }

 private:
  // The integral along the edge of a cell at `place` on `side`, along the other side.
  DIOPI_HD C Edge(const PrCell<C>& cell, int side, const C& place, int64_t first) const {
    Sum<C> sum;
    for (int64_t k = cell.Begin(1 - side); k < cell.End(1 - side); ++k) {
      const C low = C(k), high = C(k + 1), start = cell.from[1 - side], stop = cell.to[1 - side];
      const C from = (start > low ? start : low) - low, to = (stop < high ? stop : high) - low;
      const C before = Value(side, place, k, first), after = Value(side, place, k + 1, first);
      sum += C(0.5) * (to * to - from * from) * (after - before) + (to - from) * before;
    }
    return sum.total();
  }
  // The image at `place` on `side` and the whole element k on the other.
  DIOPI_HD C Value(int side, const C& place, int64_t k, int64_t first) const {
    using std::floor;
    const C whole = floor(place), part = place - whole;
    const int64_t low = static_cast<int64_t>(whole);
    C sum = C(0);
    for (int end = 0; end < 2; ++end) {
      const int64_t row = side == 0 ? low + end : k, column = side == 0 ? k : low + end;
      if (regions.Inside(row, column))
        sum += x[first + row * regions.sizes.image[1] + column] * (end == 0 ? C(1) - part : part);
    }
    return sum;
  }
};

template <typename C, typename Args>
PrRegions<C> PrRegionsOf(const Args& a, const Tensor& images) {
  const Tensor rois(a.rois);
  return {In<C>(rois), Rounded<C>(a.spatial_scale),
          RoiSizesOf(images, rois, a.pooled_height, a.pooled_width, 0, false, 5)};
}

}  // namespace

DIOPI_KERNEL(diopiPrroiPoolMmcv, a) {
  const Tensor out(a.output), x(a.input);
  DispatchFloating(ResultType(out, {x}), [&]<typename C>() {
    const PrRegions<C> regions = PrRegionsOf<C>(a, x);
    CheckShape(out, {Tensor(a.rois).size(0), x.size(1), a.pooled_height, a.pooled_width}, "output");
    ForEach(Queue(a.ctx), out.numel(), PrMean<C>{Out<C>(out), In<C>(x), regions});
  });
}

DIOPI_KERNEL(diopiPrroiPoolbackwardMmcv, a) {
  const Tensor out(a.grad_input), grad(a.grad_output);
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const PrRegions<C> regions = PrRegionsOf<C>(a, out);
    const int64_t count = Tensor(a.rois).size(0);
    CheckShape(grad, {count, out.size(1), a.pooled_height, a.pooled_width}, "grad_output");
    const Queue queue(a.ctx);
    ForEach(queue, out.size(0) * out.size(1),
            PrGradient<C>{Out<C>(out), Scratch<Sum<C>>(queue, out.numel()), In<C>(grad), regions, count});
  });
}

DIOPI_KERNEL(diopiPrroiPoolCoorBackwardMmcv, a) {
  const Tensor out(a.grad_rois), pooled(a.output), grad(a.grad_output), x(a.input);
  DispatchFloating(ResultType(out, {grad}), [&]<typename C>() {
    const PrRegions<C> regions = PrRegionsOf<C>(a, x);
    CheckShape(out, Tensor(a.rois).shape(), "grad_rois");
    CheckShape(grad, {out.size(0), x.size(1), a.pooled_height, a.pooled_width}, "grad_output");
    CheckShape(pooled, grad.shape(), "output");
    ForEach(Queue(a.ctx), out.size(0),
            PrCornerGradient<C>{Out<C>(out), In<C>(pooled), In<C>(grad), In<C>(x), regions});
  });
}

}  // namespace diopi::ops::both
