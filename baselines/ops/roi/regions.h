// What the functions that pool regions of images share: a place between four elements of an image, and the
// regular samples of a region's cells, upright or rotated. A place up to one element outside takes the
// border, a place farther out counts as zero: where a place's own error decides, its noise covers both.
// Gradients are added up plane by plane, so that the order of additions is fixed.
#ifndef BASELINES_OPS_ROI_REGIONS_H_
#define BASELINES_OPS_ROI_REGIONS_H_

#include <cmath>

#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {

template <typename C>
struct RoiPlace {
  int64_t element[4] = {0, 0, 0, 0};
  C weight[4] = {C(0), C(0), C(0), C(0)};
  bool inside = false;
  bool either = false;  // its own error decides whether it is inside

  DIOPI_HD RoiPlace(C y, C x, int64_t height, int64_t width) {
    const auto within = [&](int errors) { return Within(y, height, errors) && Within(x, width, errors); };
    inside = within(0);
    either = kIsNoise<C> && within(kErrors) != within(-kErrors);
    if (!inside && !either) return;
    int64_t rows[2], columns[2];
    const C down = Fraction(y, height, rows), across = Fraction(x, width, columns);
    for (int k = 0; k < 4; ++k) {
      element[k] = rows[k / 2] * width + columns[k % 2];
      weight[k] = (k / 2 == 0 ? C(1) - down : down) * (k % 2 == 0 ? C(1) - across : across);
    }
  }
  // The value there of the plane that begins at `first`.
  DIOPI_HD C Of(const In<C>& x, int64_t first) const {
    if (!inside && !either) return C(0);
    return OrZero(weight[0] * x[first + element[0]] + weight[1] * x[first + element[1]] +
                  weight[2] * x[first + element[2]] + weight[3] * x[first + element[3]]);
  }
  DIOPI_HD void Spread(const Scratch<Sum<C>>& sums, int64_t first, const C& gradient, const C& count) const {
    if (!inside && !either) return;
    for (int k = 0; k < 4; ++k) sums[first + element[k]] += OrZero(gradient * weight[k] / count);
  }

 private:
  static constexpr int kErrors = 8;  // standard deviations, as gate P allows

  // Whether a place counts that is so many of its standard deviations farther in.
  DIOPI_HD static bool Within(const C& at, int64_t size, int errors) {
    if constexpr (kIsNoise<C>) {
      const auto slack = errors * std::sqrt(at.s2);
      return at.v >= -1 - slack && at.v <= size + slack;
    } else {
      return at >= C(-1) && at <= C(size);
    }
  }
  DIOPI_HD C OrZero(const C& value) const {
    if constexpr (kIsNoise<C>) {
      if (either) return C::Clean(inside ? value.v : 0, value.s2 + value.v * value.v);
    }
    return value;
  }
  DIOPI_HD static C Fraction(C at, int64_t size, int64_t* neighbours) {
    if (at <= C(0)) at = C(0);
    neighbours[0] = static_cast<int64_t>(at);
    if (neighbours[0] >= size - 1) {
      neighbours[0] = neighbours[1] = size - 1;
      return C(0);
    }
    neighbours[1] = neighbours[0] + 1;
    return at - C(neighbours[0]);
  }
};

// The samples of one region: `count` of them in each cell of `step` elements, for the rows and for the
// columns.
template <typename C>
struct RoiSamples {
  int64_t image;
  C start[2], step[2];
  int64_t count[2];
  bool rotated;
  C center[2], cosine, sine;

  DIOPI_HD int64_t Count() const { return count[0] * count[1]; }
  DIOPI_HD void At(int64_t row, int64_t column, int64_t sample, C* y, C* x) const {
    const C yy = Along(0, row, sample / count[1]), xx = Along(1, column, sample % count[1]);
    *y = rotated ? yy * cosine - xx * sine + center[0] : yy;
    *x = rotated ? yy * sine + xx * cosine + center[1] : xx;
  }
  // How many samples of the region lie around one element, up to one element away on each side: each place is
  // computed from the same start and step.
  DIOPI_HD C OnOneElement(int64_t cells) const {
    using std::fabs;
    const C all = C(Count() * cells), around = C(4) * C(Count()) / fabs(step[0] * step[1]);
    return around < all ? around : all;
  }

 private:
  DIOPI_HD C Along(int side, int64_t cell, int64_t sample) const {
    return start[side] + C(cell) * step[side] + (C(sample) + C(0.5)) * step[side] / C(count[side]);
  }
};

struct RoiSizes {
  int64_t channels, image[2], cells[2];  // height, width
  int64_t ratio;                         // samples of a cell along one side; 0: as many as elements
  bool aligned;
  int64_t images;

  DIOPI_HD int64_t Elements() const { return image[0] * image[1]; }
  DIOPI_HD int64_t Cells() const { return cells[0] * cells[1]; }
  // -1 for the number of an image that there is not: such a region is empty.
  template <typename C>
  DIOPI_HD int64_t Image(const C& number) const {
    const int64_t result = static_cast<int64_t>(number);
    return result >= 0 && result < images ? result : -1;
  }
};

template <typename C>
DIOPI_HD void RoiSteps(const RoiSizes& sizes, const C& height, const C& width, RoiSamples<C>* samples) {
  using std::ceil;
  const C lengths[2] = {height, width};
  for (int side = 0; side < 2; ++side) {
    samples->step[side] = lengths[side] / C(sizes.cells[side]);
    samples->count[side] = sizes.ratio > 0 ? sizes.ratio : static_cast<int64_t>(ceil(samples->step[side]));
    if (samples->image < 0) samples->count[side] = 0;
  }
}

// Regions [image, x1, y1, x2, y2].
template <typename C>
struct RoiUpright {
  In<C> rois;
  C scale;
  RoiSizes sizes;

  DIOPI_HD RoiSamples<C> Of(int64_t region) const {
    const int64_t at = region * 5;
    const C shift = C(sizes.aligned ? 0.5 : 0.0);
    RoiSamples<C> samples;
    samples.image = sizes.Image(rois[at]);
    samples.rotated = false;
    C lengths[2];
    for (int side = 0; side < 2; ++side) {
      samples.start[side] = rois[at + 2 - side] * scale - shift;
      lengths[side] = rois[at + 4 - side] * scale - shift - samples.start[side];
      if (!sizes.aligned && lengths[side] < C(1)) lengths[side] = C(1);
    }
    RoiSteps(sizes, lengths[0], lengths[1], &samples);
    return samples;
  }
};

// Regions [image, center x, center y, width, height, angle].
template <typename C>
struct RoiRotated {
  In<C> rois;
  C scale;
  RoiSizes sizes;
  bool clockwise, at_least_one;

  DIOPI_HD RoiSamples<C> Of(int64_t region) const {
    using std::cos;
    using std::sin;
    const int64_t at = region * 6;
    const C shift = C(sizes.aligned ? 0.5 : 0.0), angle = clockwise ? -rois[at + 5] : rois[at + 5];
    RoiSamples<C> samples;
    samples.image = sizes.Image(rois[at]);
    samples.rotated = true;
    samples.cosine = cos(angle);
    samples.sine = sin(angle);
    C lengths[2];
    for (int side = 0; side < 2; ++side) {
      samples.center[side] = rois[at + 2 - side] * scale - shift;
      lengths[side] = rois[at + 4 - side] * scale;
      if (at_least_one && lengths[side] < C(1)) lengths[side] = C(1);
      samples.start[side] = -lengths[side] / C(2);
    }
    RoiSteps(sizes, lengths[0], lengths[1], &samples);
    return samples;
  }
};

// out[region, channel, cell] = the mean of the cell's samples.
template <typename C, typename Regions>
struct RoiMean {
  Out<C> out;
  In<C> x;
  Regions regions;

  DIOPI_HD void operator()(int64_t i) const {
    const RoiSizes& s = regions.sizes;
    const int64_t column = i % s.cells[1], row = i / s.cells[1] % s.cells[0], plane = i / s.Cells();
    const RoiSamples<C> samples = regions.Of(plane / s.channels);
    const int64_t first = (samples.image * s.channels + plane % s.channels) * s.Elements();
    Sum<C> sum;
    for (int64_t k = 0; k < samples.Count(); ++k) {
      C y = C(0), at = C(0);
      samples.At(row, column, k, &y, &at);
      sum += RoiPlace<C>(y, at, s.image[0], s.image[1]).Of(x, first);
    }
    out.Set(i, sum.total() / C(samples.Count() > 1 ? samples.Count() : 1));
  }
};

// The gradient of one plane of the images: what all regions' samples add to it.
template <typename C, typename Regions>
struct RoiMeanGradient {
  Out<C> out;
  Scratch<Sum<C>> sums;  // as many as elements of `out`
  In<C> grad;
  Regions regions;
  int64_t count;  // of regions

  DIOPI_HD void operator()(int64_t plane) const {
    const RoiSizes& s = regions.sizes;
    const int64_t first = plane * s.Elements();
    for (int64_t k = 0; k < s.Elements(); ++k) sums[first + k] = Sum<C>();
    for (int64_t region = 0; region < count; ++region) {
      const RoiSamples<C> samples = regions.Of(region);
      if (samples.image == plane / s.channels)
        Add(samples, (region * s.channels + plane % s.channels) * s.Cells(), first);
    }
    for (int64_t k = 0; k < s.Elements(); ++k) out.Set(first + k, sums[first + k].total());
  }

 private:
  DIOPI_HD void Add(const RoiSamples<C>& samples, int64_t cells, int64_t first) const {
    const RoiSizes& s = regions.sizes;
    const C around = samples.OnOneElement(s.Cells());
    for (int64_t cell = 0; cell < s.Cells(); ++cell) {
      for (int64_t k = 0; k < samples.Count(); ++k) {
        C y = C(0), x = C(0);
        samples.At(cell / s.cells[1], cell % s.cells[1], k, &y, &x);
        RoiPlace<C>(InCommon(y, around), InCommon(x, around), s.image[0], s.image[1])
            .Spread(sums, first, grad[cells + cell], C(samples.Count()));
      }
    }
  }
};

inline RoiSizes RoiSizesOf(const Tensor& images, const Tensor& rois, int64_t height, int64_t width,
                           int64_t ratio, bool aligned, int64_t numbers) {
  Check(images.rank() == 4, "expected images of 4 dimensions, got shape ", ShapeText(images.shape()));
  Check(rois.rank() == 2 && rois.size(1) == numbers, "expected rois of shape (K, ", numbers, "), got ",
        ShapeText(rois.shape()));
  Check(height > 0 && width > 0, "expected at least one cell, got ", height, " times ", width);
  return {images.size(1), {images.size(2), images.size(3)}, {height, width}, ratio, aligned, images.size(0)};
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_ROI_REGIONS_H_
