// interpolate: see interpolate_cpu.cc. One dimension after the other; backwards every input gathers from the
// outputs to which it contributes, in their order.
#include "baselines/ops/interpolate/interpolate_common.h"
#include "baselines/ops/support/cuda/access.h"
#include "baselines/ops/support/cuda/compute.h"
#include "baselines/ops/support/cuda/for_each.h"
#include "baselines/ops/support/cuda/scratch.h"

namespace diopi::ops::cuda {
namespace {

// One dimension of a tensor: element i = (o * size + position) * inner + k.
struct Line {
  int64_t in, out, inner;
  Resampling resampling;
};

template <typename C>
struct ResizeLine {
  Line line;
  In<C> x;
  Out<C> y;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t k = i % line.inner, rest = i / line.inner;
    const int64_t first = rest / line.out * line.in;
    const Taps<C> taps = line.resampling.template At<C>(line.in, line.out, rest % line.out);
    C sum = taps.weight[0] * x[(first + taps.index[0]) * line.inner + k];
    for (int tap = 1; tap < taps.count; ++tap)
      sum = sum + taps.weight[tap] * x[(first + taps.index[tap]) * line.inner + k];
    y.Set(i, sum);
  }
};

template <typename C>
struct ResizeLineBackward {
  Line line;
  In<C> grad;
  Out<C> dx;

  // The first output that has its last tap at `position` or behind.
  DIOPI_HD int64_t FirstOutput(int64_t position) const {
    int64_t low = 0, high = line.out;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      const Taps<C> taps = line.resampling.template At<C>(line.in, line.out, middle);
      if (taps.index[taps.count - 1] < position) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t k = i % line.inner, rest = i / line.inner;
    const int64_t position = rest % line.in, first = rest / line.in * line.out;
    C sum = C(0);
    for (int64_t at = FirstOutput(position); at < line.out; ++at) {
      const Taps<C> taps = line.resampling.template At<C>(line.in, line.out, at);
      if (taps.index[0] > position) break;
      const C g = grad[(first + at) * line.inner + k];
      for (int tap = 0; tap < taps.count; ++tap) {
        if (taps.index[tap] == position) sum = sum + taps.weight[tap] * g;
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
    In<C> from(input);
    Shape shape = input.shape();
    for (size_t d = shape.size(); d-- > 2;) {
      const Axis axis = SplitAxis(shape, static_cast<int64_t>(d));
      shape[d] = size[d - 2];
      const Line line{axis.size, shape[d], axis.inner, resampling};
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
      const Line line{in_size[d], shape[d], SplitAxis(shape, static_cast<int64_t>(d)).inner, resampling};
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
