// interpolate: see interpolate_cpu.cc. One dimension after the other; backwards every input gathers from the
// outputs to which it contributes, in their order.
#include "baselines/ops/interpolate/interpolate_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/quotients.h"
#include "baselines/ops/support/cuda/scratch.h"

namespace diopi::ops::cuda {
namespace {

// One dimension of a tensor: element i = (o * size + position) * inner + k.
struct Line {
  int64_t in, out, inner;
  Resampling resampling;
  Quotients by_in, by_out, by_inner;
  Line(int64_t in_size, int64_t out_size, int64_t inner_size, const Resampling& how)
      : in(in_size),
        out(out_size),
        inner(inner_size),
        resampling(how),
        by_in(in_size),
        by_out(out_size),
        by_inner(inner_size) {}
};

// The loops over taps have a fixed length, so that a GPU keeps taps in registers.
inline constexpr int kMostTaps = 4;

template <typename C>
struct ResizeLine {
  Line line;
  In<C> x;
  Out<C> y;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t rest = line.by_inner.Of(i), k = i - rest * line.inner, before = line.by_out.Of(rest);
    const int64_t first = before * line.in;
    const Taps<C> taps = line.resampling.template At<C>(line.in, line.out, rest - before * line.out);
    C sum = taps.weight[0] * x[(first + taps.index[0]) * line.inner + k];
    for (int tap = 1; tap < kMostTaps; ++tap) {
      if (tap < taps.count) sum = sum + taps.weight[tap] * x[(first + taps.index[tap]) * line.inner + k];
    }
    y.Set(i, sum);
  }
};

// All dimensions at once, where an output is one input.
template <typename C>
struct PickNearest {
  Out<C> out;
  In<C> x;
  int dims;
  int64_t in[3];
  int64_t to[3];
  Quotients by_to[3];
  DIOPI_HD void operator()(int64_t i) const {
    int64_t rest = i, from = 0, step = 1;
    for (int d = 2; d >= 0; --d) {  // the last dimensions have the last places
      if (d < 3 - dims) continue;
      const int64_t before = by_to[d].Of(rest);
      from += NearestTaps<C>(in[d], to[d], rest - before * to[d]).index[0] * step;
      step *= in[d];
      rest = before;
    }
    out.Set(i, x[from + rest * step]);
  }
};

template <typename C>
void Nearest(const Queue& queue, const Tensor& out, const Tensor& input) {
  const int dims = static_cast<int>(input.rank()) - 2;
  int64_t in[3] = {1, 1, 1}, to[3] = {1, 1, 1};
  for (int d = 3 - dims; d < 3; ++d) {
    in[d] = input.shape()[static_cast<size_t>(d + dims - 1)];
    to[d] = out.shape()[static_cast<size_t>(d + dims - 1)];
  }
  ForEach(queue, out.numel(),
          PickNearest<C>{Out<C>(out),
                         In<C>(input),
                         dims,
                         {in[0], in[1], in[2]},
                         {to[0], to[1], to[2]},
                         {Quotients(to[0]), Quotients(to[1]), Quotients(to[2])}});
}

template <typename C>
struct ResizeLineBackward {
  Line line;
  In<C> grad;
  Out<C> dx;

  DIOPI_HD int64_t LastTap(int64_t output) const {
    const Taps<C> taps = line.resampling.template At<C>(line.in, line.out, output);
    return taps.count == 1 ? taps.index[0] : taps.count == 2 ? taps.index[1] : taps.index[3];
  }
  // The first output that has its last tap at `position` or behind: from about there, some steps.
  DIOPI_HD int64_t FirstOutput(int64_t position) const {
    int64_t at = position < 1 ? 0 : line.by_in.Of((position - 1) * line.out);
    if (at > line.out) at = line.out;
    while (at > 0 && LastTap(at - 1) >= position) --at;
    while (at < line.out && LastTap(at) < position) ++at;
    return at;
  }
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t rest = line.by_inner.Of(i), k = i - rest * line.inner, before = line.by_in.Of(rest);
    const int64_t position = rest - before * line.in, first = before * line.out;
    C sum = C(0);
    for (int64_t at = FirstOutput(position); at < line.out; ++at) {
      const Taps<C> taps = line.resampling.template At<C>(line.in, line.out, at);
      if (taps.index[0] > position) break;
      const C g = grad[(first + at) * line.inner + k];
      for (int tap = 0; tap < kMostTaps; ++tap) {
        if (tap < taps.count && taps.index[tap] == position) sum = sum + taps.weight[tap] * g;
      }
    }
    dx.Set(i, sum);
  }
};

void Upsample(diopiContextHandle_t ctx, const Tensor& out, const Tensor& input, const Shape& size,
              std::string_view mode, bool align_corners) {
  CheckShape(out, Resized(input.shape(), size), "out");
  const Resampling resampling{ParseMode(mode, input.rank()), align_corners};
  const Queue queue(ctx);
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    if (resampling.interpolation == Interpolation::kNearest) return Nearest<C>(queue, out, input);
    In<C> from(input);
    Shape shape = input.shape();
    for (size_t d = shape.size(); d-- > 2;) {
      const Axis axis = SplitAxis(shape, static_cast<int64_t>(d));
      shape[d] = size[d - 2];
      const Line line(axis.size, shape[d], axis.inner, resampling);
      if (d == 2) return ForEach(queue, Numel(shape), ResizeLine<C>{line, from, Out<C>(out)});
      C* const to = queue.Buffer<C>(Numel(shape));
      ForEach(queue, Numel(shape), ResizeLine<C>{line, from, ScratchOut(to, shape)});
      from = ScratchIn(to, shape);
    }
  });
}

void UpsampleBackward(diopiContextHandle_t ctx, const Tensor& dx, const Tensor& grad, const Shape& out_size,
                      const Shape& in_size, std::string_view mode, bool align_corners) {
  Check(in_size == dx.shape(), "expected grad_input of shape ", ShapeText(in_size), ", got ",
        ShapeText(dx.shape()));
  CheckShape(grad, Resized(in_size, out_size), "grad_output");
  const Resampling resampling{ParseMode(mode, dx.rank()), align_corners};
  const Queue queue(ctx);
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    In<C> from(grad);
    Shape shape = grad.shape();
    for (size_t d = 2; d < shape.size(); ++d) {
      const Line line(in_size[d], shape[d], SplitAxis(shape, static_cast<int64_t>(d)).inner, resampling);
      shape[d] = in_size[d];
      if (d + 1 == shape.size())
        return ForEach(queue, Numel(shape), ResizeLineBackward<C>{line, from, Out<C>(dx)});
      C* const to = queue.Buffer<C>(Numel(shape));
      ForEach(queue, Numel(shape), ResizeLineBackward<C>{line, from, ScratchOut(to, shape)});
      from = ScratchIn(to, shape);
    }
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

DIOPI_KERNEL(diopiUpsampleNearest, a) {
  using namespace diopi::ops;
  cuda::Upsample(a.ctx, a.out, a.input, Sizes(a.size), "nearest", false);
}

DIOPI_KERNEL(diopiUpsampleNearestBackward, a) {
  using namespace diopi::ops;
  cuda::UpsampleBackward(a.ctx, a.grad_input, a.grad_output, Sizes(a.out_size), Sizes(a.in_size), "nearest",
                         false);
}

DIOPI_KERNEL(diopiUpsampleLinear, a) {
  using namespace diopi::ops;
  cuda::Upsample(a.ctx, a.out, a.input, Sizes(a.size), CheckMode(a.mode), a.align_corners);
}

DIOPI_KERNEL(diopiUpsampleLinearBackward, a) {
  using namespace diopi::ops;
  cuda::UpsampleBackward(a.ctx, a.grad_input, a.grad_output, Sizes(a.out_size), Sizes(a.in_size),
                         CheckMode(a.mode), a.align_corners);
}
