// Resizing of the last dimensions of [N, C, ...]: the nearest element, or weighted neighbours ("linear" over
// one dimension, "bilinear" over two, "trilinear" over three; "bicubic" over two).
#include <optional>
#include <utility>

#include "baselines/ops/interpolate/interpolate_common.h"

namespace diopi::ops {
namespace {

// f(input index, output index, weight, first tap of this output) over one dimension of a dense tensor.
template <typename C, typename F>
void ForEachTap(const Axis& in, int64_t out_size, const Resampling& resampling, F&& f) {
  for (int64_t i = 0; i < out_size; ++i) {
    const Taps<C> taps = resampling.At<C>(in.size, out_size, i);
    for (int tap = 0; tap < taps.count; ++tap) {
      for (int64_t o = 0; o < in.outer; ++o) {
        const int64_t from = (o * in.size + taps.index[tap]) * in.inner;
        const int64_t to = (o * out_size + i) * in.inner;
        for (int64_t k = 0; k < in.inner; ++k) f(from + k, to + k, taps.weight[tap], tap == 0);
      }
    }
  }
}

// Adds the noise of zero times x, where the weight 0 carries noise; NaN and infinity have none.
template <typename C>
void AddNoise(const C& weight, const C& x, C* sum) {
  if constexpr (kIsNoise<C>) {
    if (isfinite(x) && isfinite(*sum)) *sum = C::Clean(sum->v, sum->s2 + weight.s2 * x.v * x.v);
  }
}

// f(input index, output index, weight) for the taps that only another rounding of an output's position has.
template <typename C, typename F>
void ForEachTapBeyond(const Axis& in, int64_t out_size, const Resampling& resampling, F&& f) {
  if constexpr (kIsNoise<C>) {
    for (int64_t i = 0; i < out_size; ++i) {
      const std::optional<TapBeyond<C>> tap = resampling.Beyond<C>(in.size, out_size, i);
      for (int64_t o = 0; tap.has_value() && o < in.outer; ++o) {
        const int64_t from = (o * in.size + tap->index) * in.inner, to = (o * out_size + i) * in.inner;
        for (int64_t k = 0; k < in.inner; ++k) f(from + k, to + k, tap->weight);
      }
    }
  }
}

// One dimension after the other, the last one first.
template <typename C>
std::vector<C> Resize(std::vector<C> x, Shape shape, const Shape& size, const Resampling& resampling) {
  for (size_t d = shape.size(); d-- > 2;) {
    const Axis axis = SplitAxis(shape, static_cast<int64_t>(d));
    shape[d] = size[d - 2];
    std::vector<C> y(static_cast<size_t>(Numel(shape)));
    ForEachTap<C>(axis, shape[d], resampling, [&](int64_t from, int64_t to, const C& weight, bool first) {
      const C part = weight * x[from];
      y[to] = first ? part : y[to] + part;  // the nearest element stays what it is, -0 too
    });
    ForEachTapBeyond<C>(axis, shape[d], resampling, [&](int64_t from, int64_t to, const C& weight) {
      AddNoise(weight, x[from], &y[to]);
    });
    x = std::move(y);
  }
  return x;
}

// The same backwards: from the output's size to the input's `shape`.
template <typename C>
std::vector<C> ResizeBackward(std::vector<C> grad, const Shape& shape, const Shape& size,
                              const Resampling& resampling) {
  Shape now = shape;
  std::copy(size.begin(), size.end(), now.begin() + 2);
  for (size_t d = 2; d < shape.size(); ++d) {
    const int64_t out_size = now[d];
    now[d] = shape[d];
    std::vector<C> dx(static_cast<size_t>(Numel(now)), C(0));
    const Axis axis = SplitAxis(now, static_cast<int64_t>(d));
    ForEachTap<C>(axis, out_size, resampling,
                  [&](int64_t from, int64_t to, const C& weight, bool) { dx[from] += weight * grad[to]; });
    ForEachTapBeyond<C>(axis, out_size, resampling, [&](int64_t from, int64_t to, const C& weight) {
      AddNoise(weight, grad[to], &dx[from]);
    });
    grad = std::move(dx);
  }
  return grad;
}

void Upsample(const Tensor& out, const Tensor& input, const Shape& size, std::string_view mode,
              bool align_corners) {
  CheckShape(out, Resized(input.shape(), size), "out");
  const Resampling resampling{ParseMode(mode, input.rank()), align_corners};
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    Store(out, Resize(Load<C>(input), input.shape(), size, resampling));
  });
}

void UpsampleBackward(const Tensor& dx, const Tensor& grad, const Shape& out_size, const Shape& in_size,
                      std::string_view mode, bool align_corners) {
  Check(in_size == dx.shape(), "expected grad_input of shape ", ShapeText(in_size), ", got ",
        ShapeText(dx.shape()));
  CheckShape(grad, Resized(in_size, out_size), "grad_output");
  const Resampling resampling{ParseMode(mode, dx.rank()), align_corners};
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    Store(dx, ResizeBackward(Load<C>(grad), in_size, out_size, resampling));
  });
}

}  // namespace
}  // namespace diopi::ops

DIOPI_KERNEL(diopiUpsampleNearest, a) {
  using namespace diopi::ops;
  Upsample(a.out, a.input, Sizes(a.size), "nearest", false);
}

DIOPI_KERNEL(diopiUpsampleNearestBackward, a) {
  using namespace diopi::ops;
  UpsampleBackward(a.grad_input, a.grad_output, Sizes(a.out_size), Sizes(a.in_size), "nearest", false);
}

DIOPI_KERNEL(diopiUpsampleLinear, a) {
  using namespace diopi::ops;
  Upsample(a.out, a.input, Sizes(a.size), CheckMode(a.mode), a.align_corners);
}

DIOPI_KERNEL(diopiUpsampleLinearBackward, a) {
  using namespace diopi::ops;
  UpsampleBackward(a.grad_input, a.grad_output, Sizes(a.out_size), Sizes(a.in_size), CheckMode(a.mode),
                   a.align_corners);
}
