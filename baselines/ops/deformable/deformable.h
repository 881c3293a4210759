// Deformable convolution as a product of matrices, for the plain and the modulated one (both.h): each tap of
// the kernel looks at a place of its own, the regular one moved by an offset, and takes the element between
// the four neighbours there. Beyond the image every neighbour is zero, and a place one element or more
// outside counts as nothing. The modulated convolution multiplies each tap by its mask. Gradients gather, so
// that the order of additions is fixed.
#ifndef BASELINES_OPS_DEFORMABLE_DEFORMABLE_H_
#define BASELINES_OPS_DEFORMABLE_DEFORMABLE_H_

#include <cmath>

#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {

// An element between four neighbours of a plane, or outside.
template <typename C>
struct DeformNeighbours {
  bool inside = false;
  int64_t low[2] = {0, 0};  // the neighbour above and to the left
  C after[2];               // how far the place lies below and to the right of it

  DIOPI_HD DeformNeighbours(const C& down, const C& across, int64_t height, int64_t width)
      : inside(down > C(-1) && across > C(-1) && down < C(height) && across < C(width)) {
    using std::floor;
    after[0] = after[1] = C(0);
    if (!inside) return;
    const C above = floor(down), left = floor(across);
    low[0] = static_cast<int64_t>(above);
    low[1] = static_cast<int64_t>(left);
    after[0] = down - above;
    after[1] = across - left;
  }
  // The weight of the neighbour `y` below and `x` to the right of the first.
  DIOPI_HD C Weight(int y, int x) const {
    return (y == 1 ? after[0] : C(1) - after[0]) * (x == 1 ? after[1] : C(1) - after[1]);
  }
  // The weight of the element in row y, column x; 0 unless it is a neighbour.
  DIOPI_HD C WeightOf(int64_t y, int64_t x) const {
    if (!inside || y < low[0] || y > low[0] + 1 || x < low[1] || x > low[1] + 1) return C(0);
    return Weight(static_cast<int>(y - low[0]), static_cast<int>(x - low[1]));
  }
  // The derivative of a neighbour's weight by the place's row (d = 0) or column (d = 1).
  DIOPI_HD C Slope(int d, int y, int x) const {
    const int along = d == 0 ? y : x, other = d == 0 ? x : y;
    const C weight = other == 1 ? after[1 - d] : C(1) - after[1 - d];
    return along == 1 ? weight : -weight;
  }
};

struct DeformGeometry {
  int64_t batch = 1, channels = 1, filters = 1;
  int64_t sizes[2] = {1, 1}, kernel[2] = {1, 1}, stride[2] = {1, 1}, pad[2] = {0, 0}, dilation[2] = {1, 1};
  int64_t cells[2] = {1, 1};
  int64_t groups = 1, parts = 1;  // of the convolution, and of channels that share their offsets

  DIOPI_HD int64_t Taps() const { return kernel[0] * kernel[1]; }
  DIOPI_HD int64_t Places() const { return cells[0] * cells[1]; }
  DIOPI_HD int64_t Plane() const { return sizes[0] * sizes[1]; }
  DIOPI_HD int64_t InGroup() const { return channels / groups; }
  DIOPI_HD int64_t InPart() const { return channels / parts; }

  void Check(const Tensor& x, const Tensor& offset, const Shape& weight) {
    ops::Check(x.rank() == 4 && weight.size() == 4, "expected input and weight of 4 dimensions, got ",
               ShapeText(x.shape()), " and ", ShapeText(weight));
    batch = x.size(0);
    channels = x.size(1);
    filters = weight[0];
    ops::Check(groups > 0 && parts > 0 && channels % groups == 0 && channels % parts == 0, channels,
               " channels in ", groups, " groups and ", parts, " groups of offsets");
    ops::Check(filters % groups == 0, filters, " filters in ", groups, " groups");
    ops::Check(weight[1] == InGroup() && weight[2] == kernel[0] && weight[3] == kernel[1],
               "the weight has shape ", ShapeText(weight));
    for (int d = 0; d < 2; ++d) {
      sizes[d] = x.size(d + 2);
      const int64_t room = sizes[d] + 2 * pad[d] - dilation[d] * (kernel[d] - 1) - 1;
      ops::Check(stride[d] > 0 && dilation[d] > 0 && room >= 0, "the kernel does not fit into the input");
      cells[d] = room / stride[d] + 1;
    }
    CheckShape(offset, {batch, parts * 2 * Taps(), cells[0], cells[1]}, "offset");
  }
  Shape OutShape() const { return {batch, filters, cells[0], cells[1]}; }
};

template <typename C>
struct DeformView {
  In<C> x, offset, mask;
  bool modulated = false;
  DeformGeometry g;

  DIOPI_HD DeformNeighbours<C> At(int64_t image, int64_t part, int64_t tap, int64_t place) const {
    const int64_t base = (image * g.parts + part) * 2 * g.Taps() + 2 * tap;
    const int64_t row = place / g.cells[1] * g.stride[0] - g.pad[0] + tap / g.kernel[1] * g.dilation[0];
    const int64_t column = place % g.cells[1] * g.stride[1] - g.pad[1] + tap % g.kernel[1] * g.dilation[1];
    return {C(row) + offset[base * g.Places() + place], C(column) + offset[(base + 1) * g.Places() + place],
            g.sizes[0], g.sizes[1]};
  }
  DIOPI_HD C Element(int64_t plane, int64_t y, int64_t column) const {
    if (y < 0 || column < 0 || y >= g.sizes[0] || column >= g.sizes[1]) return C(0);
    return x[(plane * g.sizes[0] + y) * g.sizes[1] + column];
  }
  DIOPI_HD C Value(int64_t plane, const DeformNeighbours<C>& at) const {
    C sum = C(0);
    for (int n = 0; n < 4 && at.inside; ++n)
      sum += at.Weight(n / 2, n % 2) * Element(plane, at.low[0] + n / 2, at.low[1] + n % 2);
    return sum;
  }
  // The derivative of Value by the place's row or column.
  DIOPI_HD C Slope(int d, int64_t plane, const DeformNeighbours<C>& at) const {
    C sum = C(0);
    for (int n = 0; n < 4 && at.inside; ++n)
      sum += at.Slope(d, n / 2, n % 2) * Element(plane, at.low[0] + n / 2, at.low[1] + n % 2);
    return sum;
  }
  DIOPI_HD C Modulated(const C& value, int64_t image, int64_t part, int64_t tap, int64_t place) const {
    if (!modulated) return value;
    return value * mask[((image * g.parts + part) * g.Taps() + tap) * g.Places() + place];
  }
};

// columns[image, channel, tap, place]: what each tap sees.
template <typename C>
struct DeformColumns {
  DeformView<C> of;
  Scratch<C> columns;
  DIOPI_HD void operator()(int64_t i) const {
    const DeformGeometry& g = of.g;
    const int64_t place = i % g.Places(), tap = i / g.Places() % g.Taps(), plane = i / g.Places() / g.Taps();
    const int64_t image = plane / g.channels, part = plane % g.channels / g.InPart();
    columns[i] = of.Modulated(of.Value(plane, of.At(image, part, tap, place)), image, part, tap, place);
  }
};

template <typename C>
struct DeformProduct {
  Out<C> out;
  In<C> weight, bias;
  bool biased;
  Scratch<C> columns;
  DeformGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t place = i % g.Places(), filter = i / g.Places() % g.filters;
    const int64_t image = i / g.Places() / g.filters, terms = g.InGroup() * g.Taps();
    const int64_t first = image * g.channels * g.Taps() + filter / (g.filters / g.groups) * terms;
    Sum<C> sum;
    for (int64_t k = 0; k < terms; ++k)
      sum += weight[filter * terms + k] * columns[(first + k) * g.Places() + place];
    out.Set(i, biased ? sum.total() + bias[filter] : sum.total());
  }
};

// The gradient of the columns.
template <typename C>
struct DeformGradColumns {
  Scratch<C> columns;
  In<C> weight, grad;
  DeformGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t place = i % g.Places(), tap = i / g.Places() % g.Taps(), plane = i / g.Places() / g.Taps();
    const int64_t image = plane / g.channels, channel = plane % g.channels;
    const int64_t in_group = g.filters / g.groups, first = channel / g.InGroup() * in_group;
    Sum<C> sum;
    for (int64_t f = first; f < first + in_group; ++f) {
      sum += weight[(f * g.InGroup() + channel % g.InGroup()) * g.Taps() + tap] *
             grad[(image * g.filters + f) * g.Places() + place];
    }
    columns[i] = sum.total();
  }
};

template <typename C>
struct DeformGradInput {
  Out<C> out;
  DeformView<C> of;
  Scratch<C> columns;
  DIOPI_HD void operator()(int64_t i) const {
    const DeformGeometry& g = of.g;
    const int64_t plane = i / g.Plane(), row = i / g.sizes[1] % g.sizes[0], column = i % g.sizes[1];
    const int64_t image = plane / g.channels, part = plane % g.channels / g.InPart();
    Sum<C> sum;
    for (int64_t at = 0; at < g.Taps() * g.Places(); ++at) {
      const int64_t tap = at / g.Places(), place = at % g.Places();
      const C weight = of.At(image, part, tap, place).WeightOf(row, column);
      if (weight == C(0)) continue;
      const C grad = columns[(plane * g.Taps() + tap) * g.Places() + place];
      sum += weight * of.Modulated(grad, image, part, tap, place);
    }
    out.Set(i, sum.total());
  }
};

// The gradients of a tap's two offsets, and of its mask.
template <typename C>
struct DeformGradOffset {
  Out<C> offset, mask;
  DeformView<C> of;
  Scratch<C> columns;
  DIOPI_HD void operator()(int64_t i) const {
    const DeformGeometry& g = of.g;
    const int64_t place = i % g.Places(), tap = i / g.Places() % g.Taps(), group = i / g.Places() / g.Taps();
    const int64_t image = group / g.parts, part = group % g.parts;
    const DeformNeighbours<C> at = of.At(image, part, tap, place);
    Sum<C> down, across, factor;
    for (int64_t k = 0; k < g.InPart(); ++k) {
      const int64_t plane = image * g.channels + part * g.InPart() + k;
      const C grad = columns[(plane * g.Taps() + tap) * g.Places() + place];
      down += of.Modulated(of.Slope(0, plane, at) * grad, image, part, tap, place);
      across += of.Modulated(of.Slope(1, plane, at) * grad, image, part, tap, place);
      if (of.modulated) factor += grad * of.Value(plane, at);
    }
    const int64_t base = (group * 2 * g.Taps() + 2 * tap) * g.Places() + place;
    offset.Set(base, down.total());
    offset.Set(base + g.Places(), across.total());
    if (of.modulated) mask.Set(i, factor.total());
  }
};

template <typename C>
struct DeformGradWeight {
  Out<C> out;
  Scratch<C> columns;
  In<C> grad;
  C scale;
  bool scaled;
  DeformGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t terms = g.InGroup() * g.Taps(), filter = i / terms;
    const int64_t first = filter / (g.filters / g.groups) * terms + i % terms;
    Sum<C> sum;
    for (int64_t image = 0; image < g.batch; ++image) {
      for (int64_t place = 0; place < g.Places(); ++place) {
        sum += grad[(image * g.filters + filter) * g.Places() + place] *
               columns[(image * g.channels * g.Taps() + first) * g.Places() + place];
      }
    }
    out.Set(i, scaled ? scale * sum.total() : sum.total());
  }
};

template <typename C>
Scratch<C> DeformSampled(const Queue& queue, const DeformView<C>& of) {
  const DeformGeometry& g = of.g;
  const int64_t count = g.batch * g.channels * g.Taps() * g.Places();
  const Scratch<C> columns(queue, count);
  ForEach(queue, count, DeformColumns<C>{of, columns});
  return columns;
}

template <typename C>
Scratch<C> DeformGradOfColumns(const Queue& queue, const DeformGeometry& g, const Tensor& weight,
                               const Tensor& grad) {
  const int64_t count = g.batch * g.channels * g.Taps() * g.Places();
  const Scratch<C> columns(queue, count);
  ForEach(queue, count, DeformGradColumns<C>{columns, In<C>(weight), In<C>(grad), g});
  return columns;
}

}  // namespace diopi::ops::both

#endif  // BASELINES_OPS_DEFORMABLE_DEFORMABLE_H_
