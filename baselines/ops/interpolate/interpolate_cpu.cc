// Resizing of the last dimensions of [N, C, ...]: the nearest element, or weighted neighbours ("linear" over
// one dimension, "bilinear" over two, "trilinear" over three; "bicubic" over two).
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {
namespace {

// How one output along an axis is made: the sum of weight * input[index].
template <typename C>
using Taps = std::vector<std::pair<int64_t, C>>;

// PyTorch computes this coordinate in float32 whatever the tensors are.
template <typename C>
Taps<C> NearestTaps(int64_t in, int64_t out, int64_t i) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  const auto at = static_cast<int64_t>(std::floor(static_cast<float>(i) * scale));
  return {{std::min(at, in - 1), C(1)}};
}

// Where output i lies in the input: corners on corners, or pixels as areas.
template <typename C>
C SourcePosition(int64_t in, int64_t out, int64_t i, bool align_corners) {
  if (align_corners) return out > 1 ? C(in - 1) / C(out - 1) * C(i) : C(0);
  return C(in) / C(out) * (C(i) + C(0.5)) - C(0.5);
}

template <typename C>
Taps<C> LinearTaps(int64_t in, int64_t out, int64_t i, bool align_corners) {
  C position = SourcePosition<C>(in, out, i, align_corners);
  if (position < C(0)) position = C(0);
  const int64_t at = std::min(static_cast<int64_t>(std::floor(ToDouble(position))), in - 1);
  const C after = position - C(at);
  return {{at, C(1) - after}, {std::min(at + 1, in - 1), after}};
}

// Keys' cubic convolution with a = -3/4, for distances up to 1 and from 1 to 2.
template <typename C>
C CubicNear(const C& x) {
  const C a = C(-0.75);
  return ((a + C(2)) * x - (a + C(3))) * x * x + C(1);
}
template <typename C>
C CubicFar(const C& x) {
  const C a = C(-0.75);
  return ((a * x - C(5) * a) * x + C(8) * a) * x - C(4) * a;
}

template <typename C>
Taps<C> CubicTaps(int64_t in, int64_t out, int64_t i, bool align_corners) {
  const C position = SourcePosition<C>(in, out, i, align_corners);
  const auto at = static_cast<int64_t>(std::floor(ToDouble(position)));
  const C t = position - C(at);
  const auto inside = [in](int64_t index) { return std::clamp<int64_t>(index, 0, in - 1); };
  return {{inside(at - 1), CubicFar(t + C(1))},
          {inside(at), CubicNear(t)},
          {inside(at + 1), CubicNear(C(1) - t)},
          {inside(at + 2), CubicFar(C(2) - t)}};
}

// f(input index, output index, weight, first tap of this output) over one dimension of a dense tensor.
template <typename C, typename MakeTaps, typename F>
void ForEachTap(const Axis& in, int64_t out_size, MakeTaps&& make_taps, F&& f) {
  for (int64_t i = 0; i < out_size; ++i) {
    bool first = true;
    for (const auto& [index, weight] : make_taps(in.size, out_size, i)) {
      for (int64_t o = 0; o < in.outer; ++o) {
        const int64_t from = (o * in.size + index) * in.inner, to = (o * out_size + i) * in.inner;
        for (int64_t k = 0; k < in.inner; ++k) f(from + k, to + k, weight, first);
      }
      first = false;
    }
  }
}

// One dimension after the other, the last one first.
template <typename C, typename MakeTaps>
std::vector<C> Resize(std::vector<C> x, Shape shape, const Shape& size, MakeTaps&& make_taps) {
  for (size_t d = shape.size(); d-- > 2;) {
    const Axis axis = SplitAxis(shape, static_cast<int64_t>(d));
    shape[d] = size[d - 2];
    std::vector<C> y(static_cast<size_t>(Numel(shape)));
    ForEachTap<C>(axis, shape[d], make_taps, [&](int64_t from, int64_t to, const C& weight, bool first) {
      const C part = weight * x[from];
      y[to] = first ? part : y[to] + part;  // the nearest element stays what it is, -0 too
    });
    x = std::move(y);
  }
  return x;
}

// The same backwards: from the output's size to the input's `shape`.
template <typename C, typename MakeTaps>
std::vector<C> ResizeBackward(std::vector<C> grad, const Shape& shape, const Shape& size,
                              MakeTaps&& make_taps) {
  Shape now = shape;
  std::copy(size.begin(), size.end(), now.begin() + 2);
  for (size_t d = 2; d < shape.size(); ++d) {
    const int64_t out_size = now[d];
    now[d] = shape[d];
    std::vector<C> dx(static_cast<size_t>(Numel(now)), C(0));
    ForEachTap<C>(SplitAxis(now, static_cast<int64_t>(d)), out_size, make_taps,
                  [&](int64_t from, int64_t to, const C& weight, bool) { dx[from] += weight * grad[to]; });
    grad = std::move(dx);
  }
  return grad;
}

// f(make_taps) with the taps that `mode` names, for tensors of `rank` dimensions.
template <typename C, typename F>
void WithTaps(std::string_view mode, int64_t rank, bool align_corners, F&& f) {
  if (mode == "nearest") return f(NearestTaps<C>);
  const bool cubic = mode == "bicubic";
  const int64_t expected = mode == "linear"              ? 3
                           : mode == "bilinear" || cubic ? 4
                           : mode == "trilinear"         ? 5
                                                         : 0;
  Check(expected != 0, "unknown mode '", mode, "', expected linear, bilinear, bicubic or trilinear");
  Check(rank == expected, "mode '", mode, "' is for tensors of ", expected, " dimensions, got ", rank);
  f([&](int64_t in, int64_t out, int64_t i) {
    return cubic ? CubicTaps<C>(in, out, i, align_corners) : LinearTaps<C>(in, out, i, align_corners);
  });
}

// The shape of `input` with the dimensions from the third on replaced.
Shape Resized(const Shape& input, const Shape& size) {
  Check(input.size() >= 3 && input.size() <= 5, "expected a tensor of 3 to 5 dimensions, got shape ",
        ShapeText(input));
  Check(size.size() + 2 == input.size(), "expected a size of ", input.size() - 2, " values, got ",
        size.size());
  Shape shape = input;
  std::copy(size.begin(), size.end(), shape.begin() + 2);
  for (size_t d = 2; d < shape.size(); ++d) {
    Check(input[d] > 0 && shape[d] > 0, "input and output sizes should be greater than 0, got ",
          ShapeText(input), " and ", ShapeText(shape));
  }
  return shape;
}

void Upsample(const Tensor& out, const Tensor& input, const Shape& size, std::string_view mode,
              bool align_corners) {
  CheckShape(out, Resized(input.shape(), size), "out");
  DispatchFloating(ResultType(out, {input}), [&]<typename C>() {
    WithTaps<C>(mode, input.rank(), align_corners,
                [&](auto&& taps) { Store(out, Resize(Load<C>(input), input.shape(), size, taps)); });
  });
}

void UpsampleBackward(const Tensor& dx, const Tensor& grad, const Shape& out_size, const Shape& in_size,
                      std::string_view mode, bool align_corners) {
  Check(in_size == dx.shape(), "expected grad_input of shape ", ShapeText(in_size), ", got ",
        ShapeText(dx.shape()));
  CheckShape(grad, Resized(in_size, out_size), "grad_output");
  DispatchFloating(ResultType(dx, {grad}), [&]<typename C>() {
    WithTaps<C>(mode, dx.rank(), align_corners,
                [&](auto&& taps) { Store(dx, ResizeBackward(Load<C>(grad), in_size, out_size, taps)); });
  });
}

std::string_view CheckMode(const char* mode) {
  Check(mode != nullptr && std::string_view(mode) != "nearest",
        "expected a mode: linear, bilinear, bicubic or trilinear");
  return mode;
}

}  // namespace
}  // namespace diopi::ops

extern "C" diopiError_t diopiUpsampleNearest(diopiContextHandle_t, diopiTensorHandle_t out,
                                             diopiConstTensorHandle_t input, diopiSize_t size) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { Upsample(out, input, Sizes(size), "nearest", false); });
}

extern "C" diopiError_t diopiUpsampleNearestBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                                     diopiConstTensorHandle_t grad_output,
                                                     diopiSize_t out_size, diopiSize_t in_size) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    UpsampleBackward(grad_input, grad_output, Sizes(out_size), Sizes(in_size), "nearest", false);
  });
}

extern "C" diopiError_t diopiUpsampleLinear(diopiContextHandle_t, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t input, diopiSize_t size,
                                            bool align_corners, const char* mode) {
  using namespace diopi::ops;
  return Guard(__func__, [&] { Upsample(out, input, Sizes(size), CheckMode(mode), align_corners); });
}

extern "C" diopiError_t diopiUpsampleLinearBackward(diopiContextHandle_t, diopiTensorHandle_t grad_input,
                                                    diopiConstTensorHandle_t grad_output,
                                                    diopiSize_t out_size, diopiSize_t in_size,
                                                    bool align_corners, const char* mode) {
  using namespace diopi::ops;
  return Guard(__func__, [&] {
    UpsampleBackward(grad_input, grad_output, Sizes(out_size), Sizes(in_size), CheckMode(mode),
                     align_corners);
  });
}
