// Attention of deformable transformers: every query and head takes the values at a few places of each of
// several levels (images of different sizes, one after the other in `value`), weighted by attn_weight. A
// place (x, y) has 0 and 1 at the outer edges of its level, and lies between the four nearest elements.
#include "baselines/ops/deformable/deformable.h"

namespace diopi::ops::both {
namespace {

struct MsDeformSizes {
  int64_t batch, keys, heads, dim, queries, levels, points;

  MsDeformSizes(const Tensor& value, const Tensor& shapes, const Tensor& places)
      : batch(value.size(0)),
        keys(value.size(1)),
        heads(value.size(2)),
        dim(value.size(3)),
        queries(places.size(1)),
        levels(shapes.size(0)),
        points(places.size(4)) {}
};

template <typename C>
struct MsDeformView {
  In<C> value, places, weights;
  In<int64_t> shapes, starts;
  MsDeformSizes s;

  // `sample` counts images, queries, heads, levels and points.
  DIOPI_HD int64_t Level(int64_t sample) const { return sample / s.points % s.levels; }
  DIOPI_HD DeformNeighbours<C> At(int64_t sample) const {
    const int64_t level = Level(sample), height = shapes[level * 2], width = shapes[level * 2 + 1];
    return {places[sample * 2 + 1] * C(height) - C(0.5), places[sample * 2] * C(width) - C(0.5), height,
            width};
  }
  DIOPI_HD C Element(int64_t sample, int64_t d, int64_t y, int64_t x) const {
    const int64_t level = Level(sample), height = shapes[level * 2], width = shapes[level * 2 + 1];
    if (y < 0 || x < 0 || y >= height || x >= width) return C(0);
    const int64_t of_head = sample / s.points / s.levels, of_image = starts[level] + y * width + x;
    if (of_image < 0 || of_image >= s.keys) return C(0);
    const int64_t key = of_head / s.heads / s.queries * s.keys + of_image;
    return value[(key * s.heads + of_head % s.heads) * s.dim + d];
  }
  DIOPI_HD C Value(int64_t sample, int64_t d, const DeformNeighbours<C>& at) const {
    C sum = C(0);
    for (int n = 0; n < 4 && at.inside; ++n)
      sum += at.Weight(n / 2, n % 2) * Element(sample, d, at.low[0] + n / 2, at.low[1] + n % 2);
    return sum;
  }
  DIOPI_HD C Slope(int axis, int64_t sample, int64_t d, const DeformNeighbours<C>& at) const {
    C sum = C(0);
    for (int n = 0; n < 4 && at.inside; ++n)
      sum += at.Slope(axis, n / 2, n % 2) * Element(sample, d, at.low[0] + n / 2, at.low[1] + n % 2);
    return sum;
  }
};

template <typename C>
struct MsDeformSum {
  Out<C> out;
  MsDeformView<C> of;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t samples = of.s.levels * of.s.points, first = i / of.s.dim * samples;
    Sum<C> sum;
    for (int64_t sample = first; sample < first + samples; ++sample)
      sum += of.Value(sample, i % of.s.dim, of.At(sample)) * of.weights[sample];
    out.Set(i, sum.total());
  }
};

template <typename C>
struct MsDeformGradValue {
  Out<C> out;
  MsDeformView<C> of;
  In<C> grad;
  DIOPI_HD void operator()(int64_t i) const {
    const MsDeformSizes& s = of.s;
    const int64_t d = i % s.dim, head = i / s.dim % s.heads, key = i / s.dim / s.heads % s.keys;
    const int64_t image = i / s.dim / s.heads / s.keys;
    Sum<C> sum;
    for (int64_t level = 0; level < s.levels; ++level) {
      const int64_t at = key - of.starts[level], width = of.shapes[level * 2 + 1];
      if (at < 0 || at >= of.shapes[level * 2] * width) continue;
      for (int64_t n = 0; n < s.queries * s.points; ++n) {
        const int64_t of_head = (image * s.queries + n / s.points) * s.heads + head;
        const int64_t sample = (of_head * s.levels + level) * s.points + n % s.points;
        const C weight = of.At(sample).WeightOf(at / width, at % width);
        if (weight != C(0)) sum += weight * (grad[of_head * s.dim + d] * of.weights[sample]);
      }
    }
    out.Set(i, sum.total());
  }
};

template <typename C>
struct MsDeformGradPlace {
  Out<C> places, weights;
  MsDeformView<C> of;
  In<C> grad;
  DIOPI_HD void operator()(int64_t sample) const {
    const int64_t of_head = sample / of.s.points / of.s.levels, level = of.Level(sample);
    const DeformNeighbours<C> at = of.At(sample);
    Sum<C> down, across, weight;
    for (int64_t d = 0; d < of.s.dim; ++d) {
      const C top = grad[of_head * of.s.dim + d], weighted = top * of.weights[sample];
      down += C(of.shapes[level * 2]) * of.Slope(0, sample, d, at) * weighted;
      across += C(of.shapes[level * 2 + 1]) * of.Slope(1, sample, d, at) * weighted;
      weight += top * of.Value(sample, d, at);
    }
    places.Set(sample * 2, across.total());
    places.Set(sample * 2 + 1, down.total());
    weights.Set(sample, weight.total());
  }
};

template <typename Args>
MsDeformSizes CheckedMsDeform(const Args& a) {
  const Tensor value(a.value), shapes(a.spatial_shapes), places(a.sampling_loc);
  Check(value.rank() == 4 && places.rank() == 6 && shapes.rank() == 2,
        "expected value, spatial_shapes and sampling_loc of 4, 2 and 6 dimensions, got ",
        ShapeText(value.shape()), ", ", ShapeText(shapes.shape()), " and ", ShapeText(places.shape()));
  const MsDeformSizes s(value, shapes, places);
  CheckShape(shapes, {s.levels, 2}, "spatial_shapes");
  CheckShape(Tensor(a.level_start_index), {s.levels}, "level_start_index");
  CheckShape(places, {s.batch, s.queries, s.heads, s.levels, s.points, 2}, "sampling_loc");
  CheckShape(Tensor(a.attn_weight), {s.batch, s.queries, s.heads, s.levels, s.points}, "attn_weight");
  const int64_t step = a.im2col_step < s.batch ? a.im2col_step : s.batch;
  Check(s.batch == 0 || (step > 0 && s.batch % step == 0), "a batch of ", s.batch, " in steps of ", step);
  return s;
}

template <typename C, typename Args>
MsDeformView<C> MsDeformViewOf(const Args& a, const MsDeformSizes& s) {
  return {In<C>(Tensor(a.value)),
          In<C>(Tensor(a.sampling_loc)),
          In<C>(Tensor(a.attn_weight)),
          In<int64_t>(Tensor(a.spatial_shapes)),
          In<int64_t>(Tensor(a.level_start_index)),
          s};
}

}  // namespace

DIOPI_KERNEL(diopiMsDeformAttnMmcv, a) {
  const Tensor value(a.value);
  const MsDeformSizes s = CheckedMsDeform(a);
  *a.out = RequireTensor(a.ctx, {s.batch, s.queries, s.heads * s.dim}, value.dtype());
  const Tensor out(*a.out);
  DispatchFloating(ResultType(out, {value}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(), MsDeformSum<C>{Out<C>(out), MsDeformViewOf<C>(a, s)});
  });
}

DIOPI_KERNEL(diopiMsDeformAttnBackwardMmcv, a) {
  const Tensor value(a.value), grad(a.grad_output), grad_value(a.grad_value), weights(a.grad_attn_weight),
      places(a.grad_sampling_loc);
  const MsDeformSizes s = CheckedMsDeform(a);
  CheckShape(grad, {s.batch, s.queries, s.heads * s.dim}, "grad_output");
  CheckShape(grad_value, value.shape(), "grad_value");
  CheckShape(places, Tensor(a.sampling_loc).shape(), "grad_sampling_loc");
  CheckShape(weights, Tensor(a.attn_weight).shape(), "grad_attn_weight");
  DispatchFloating(ResultType(grad_value, {value}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const MsDeformView<C> of = MsDeformViewOf<C>(a, s);
    ForEach(queue, value.numel(), MsDeformGradValue<C>{Out<C>(grad_value), of, In<C>(grad)});
    ForEach(queue, weights.numel(), MsDeformGradPlace<C>{Out<C>(places), Out<C>(weights), of, In<C>(grad)});
  });
}

}  // namespace diopi::ops::both
