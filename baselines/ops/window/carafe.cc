// Features enlarged by a whole factor: each new element is a weighted sum over the window around the element
// that it comes from, with weights of its own. The fast form also gets channels-last copies and scratch from
// its callers; it computes the same.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

struct CarafeGeometry {
  int64_t batch, channels, height, width;  // of the features
  int64_t kernel, groups, scale;
  bool nhwc;  // the features' channels come last

  DIOPI_HD int64_t Rows() const { return height * scale; }
  DIOPI_HD int64_t Columns() const { return width * scale; }
  DIOPI_HD int64_t Taps() const { return kernel * kernel; }
  DIOPI_HD int64_t FeatureAt(int64_t image, int64_t channel, int64_t y, int64_t x) const {
    if (nhwc) return ((image * height + y) * width + x) * channels + channel;
    return ((image * channels + channel) * height + y) * width + x;
  }
  DIOPI_HD int64_t MaskAt(int64_t image, int64_t channel, int64_t tap, int64_t row, int64_t column) const {
    const int64_t plane = image * groups * Taps() + channel / (channels / groups) * Taps() + tap;
    return (plane * Rows() + row) * Columns() + column;
  }
  DIOPI_HD int64_t OutAt(int64_t image, int64_t channel, int64_t row, int64_t column) const {
    return ((image * channels + channel) * Rows() + row) * Columns() + column;
  }
  DIOPI_HD bool Inside(int64_t y, int64_t x) const { return y >= 0 && x >= 0 && y < height && x < width; }

  Shape MaskShape() const { return {batch, groups * Taps(), Rows(), Columns()}; }
  Shape OutShape() const { return {batch, channels, Rows(), Columns()}; }
  void Check() const {
    ops::Check(kernel > 0 && kernel % 2 == 1 && scale > 0 && groups > 0 && channels % groups == 0,
               "a kernel of ", kernel, ", a factor of ", scale, " and ", channels, " channels in ", groups,
               " groups");
  }
};

template <typename C>
struct CarafeSum {
  Out<C> out;
  In<C> features, masks;
  CarafeGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t column = i % g.Columns(), row = i / g.Columns() % g.Rows();
    const int64_t plane = i / g.Columns() / g.Rows(), image = plane / g.channels,
                  channel = plane % g.channels;
    Sum<C> sum;
    for (int64_t tap = 0; tap < g.Taps(); ++tap) {
      const int64_t y = row / g.scale + tap / g.kernel - g.kernel / 2;
      const int64_t x = column / g.scale + tap % g.kernel - g.kernel / 2;
      if (!g.Inside(y, x)) continue;
      sum += features[g.FeatureAt(image, channel, y, x)] * masks[g.MaskAt(image, channel, tap, row, column)];
    }
    out.Set(i, sum.total());
  }
};

template <typename C>
struct CarafeGradFeatures {
  Out<C> out;
  In<C> grad, masks;
  CarafeGeometry g;  // of `out`, which is NCHW
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t x = i % g.width, y = i / g.width % g.height, plane = i / g.width / g.height;
    const int64_t image = plane / g.channels, channel = plane % g.channels;
    Sum<C> sum;
    for (int64_t part = 0; part < g.scale * g.scale; ++part) {
      for (int64_t tap = 0; tap < g.Taps(); ++tap) {
        const int64_t from_y = y - tap / g.kernel + g.kernel / 2, from_x = x - tap % g.kernel + g.kernel / 2;
        if (!g.Inside(from_y, from_x)) continue;
        const int64_t row = from_y * g.scale + part / g.scale, column = from_x * g.scale + part % g.scale;
        sum += masks[g.MaskAt(image, channel, tap, row, column)] * grad[g.OutAt(image, channel, row, column)];
      }
    }
    out.Set(i, sum.total());
  }
};

template <typename C>
struct CarafeGradMasks {
  Out<C> out;
  In<C> grad, features;
  CarafeGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t column = i % g.Columns(), row = i / g.Columns() % g.Rows();
    const int64_t plane = i / g.Columns() / g.Rows(), image = plane / g.groups / g.Taps();
    const int64_t group = plane / g.Taps() % g.groups, tap = plane % g.Taps(),
                  in_group = g.channels / g.groups;
    const int64_t y = row / g.scale + tap / g.kernel - g.kernel / 2;
    const int64_t x = column / g.scale + tap % g.kernel - g.kernel / 2;
    Sum<C> sum;
    for (int64_t channel = group * in_group; channel < (group + 1) * in_group && g.Inside(y, x); ++channel)
      sum += grad[g.OutAt(image, channel, row, column)] * features[g.FeatureAt(image, channel, y, x)];
    out.Set(i, sum.total());
  }
};

template <typename Args>
CarafeGeometry CarafeSizes(const Args& a, const Tensor& features, bool nhwc) {
  Check(features.rank() == 4, "expected features of 4 dimensions, got ", ShapeText(features.shape()));
  const int first = nhwc ? 1 : 2;
  const CarafeGeometry g{features.size(0),     features.size(nhwc ? 3 : 1),
                         features.size(first), features.size(first + 1),
                         a.kernel_size,        a.group_size,
                         a.scale_factor,       nhwc};
  g.Check();
  CheckShape(Tensor(a.masks), g.MaskShape(), "masks");
  return g;
}

template <typename Args>
void Carafe(const Args& a) {
  const Tensor out(a.output), features(a.features);
  const CarafeGeometry g = CarafeSizes(a, features, false);
  CheckShape(out, g.OutShape(), "output");
  DispatchFloating(ResultType(out, {features}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), CarafeSum<C>{Out<C>(out), In<C>(features), In<C>(Tensor(a.masks)), g});
  });
}

template <typename Args>
void CarafeBackward(const Args& a, const Tensor& features, const CarafeGeometry& g) {
  const Tensor grad(a.top_grad), to_features(a.bottom_grad), to_masks(a.mask_grad);
  CheckShape(grad, g.OutShape(), "top_grad");
  CheckShape(to_features, {g.batch, g.channels, g.height, g.width}, "bottom_grad");
  CheckShape(to_masks, g.MaskShape(), "mask_grad");
  DispatchFloating(ResultType(to_features, {grad}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> top(grad);
    ForEach(queue, to_features.numel(),
            CarafeGradFeatures<C>{Out<C>(to_features), top, In<C>(Tensor(a.masks)), g});
    ForEach(queue, to_masks.numel(), CarafeGradMasks<C>{Out<C>(to_masks), top, In<C>(features), g});
  });
}

}  // namespace

DIOPI_FORMS(Carafe, diopiCarafeNaiveMmcv, diopiCarafeMmcv)

DIOPI_KERNEL(diopiCarafeNaiveBackwardMmcv, a) {
  const Tensor features(a.features);
  CarafeBackward(a, features, CarafeSizes(a, features, false));
}

DIOPI_KERNEL(diopiCarafeBackwardMmcv, a) {
  const Tensor features(a.rfeatures);
  CarafeBackward(a, features, CarafeSizes(a, features, true));
}

}  // namespace diopi::ops::both
