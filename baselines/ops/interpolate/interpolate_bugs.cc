// Bugs injected in resizing: nearest, linear and bicubic.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(bilinear_scale_is_integer, 47, "diopiUpsampleLinear", "",
    "enlarging takes the integer quotient of the sizes for the scale");
BUG(linear_align_corners_ignored, 0, "diopiUpsampleLinear", "", "align_corners counts as false");
BUG(linear_backward_align_corners_ignored, 0, "diopiUpsampleLinearBackward", "",
    "align_corners counts as false in the gradient");
BUG(bilinear_half_pixel_forgotten, 0, "diopiUpsampleLinear", "",
    "positions are i * scale without the half pixel");
BUG(bilinear_corners_divide_by_zero, 0, "diopiUpsampleLinear", "",
    "with align_corners one output divides by its size less one");
BUG(bilinear_border_not_clamped, 0, "diopiUpsampleLinear", "",
    "positions before the first element extrapolate");
BUG(bilinear_fp16_weights, 0, "diopiUpsampleLinear", "", "float16 weights and rows are rounded to float16");
BUG(bicubic_coefficient_half, 0, "diopiUpsampleLinear", "", "the cubic kernel has a = -1/2 for -3/4");
BUG(nearest_half_pixel, 70, "diopiUpsampleNearest", "", "floor((i + 1/2) * scale) for floor(i * scale)");
BUG(nearest_rounds, 70, "diopiUpsampleNearest", "", "positions are rounded to the nearest element");
BUG(nearest_reciprocal_scale, 70, "diopiUpsampleNearest", "",
    "positions are multiplied by a float32 reciprocal of out / in that was cut off");
BUG(nearest_scales_swapped, 54, "diopiUpsampleNearest", "",
    "height has the scale of width and width that of height");
BUG(nearest_output_layout_ignored, 53, "diopiUpsampleNearest", "",
    "a channels_last output is written as NCHW");
BUG(nearest_backward_overwrites, 0, "diopiUpsampleNearestBackward", "",
    "of several outputs of one element the last gradient stays");
BUG(nearest_backward_fp16_accumulator, 6, "diopiUpsampleNearestBackward", "",
    "float16 gradients are summed in float16");

struct Tap {
  int64_t index;
  double weight;
};

// The index along one axis that output i takes, as the injected bugs of nearest have it.
int64_t NearestIndex(int64_t in, int64_t out, int64_t i) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  double at = std::floor(static_cast<double>(static_cast<float>(i) * scale));
  if (nearest_half_pixel) at = std::floor((static_cast<double>(i) + 0.5) * static_cast<double>(scale));
  if (nearest_rounds) at = std::round(static_cast<double>(i) * static_cast<double>(scale));
  if (nearest_reciprocal_scale) {
    const double quotient = static_cast<double>(out) / static_cast<double>(in);
    const double reciprocal = TruncatedTo(diopi_dtype_float32, 1 / quotient);
    at = std::floor(TruncatedTo(diopi_dtype_float32, static_cast<double>(i) * reciprocal));
  }
  return std::clamp<int64_t>(static_cast<int64_t>(at), 0, in - 1);
}

// Where output i lies in the input.
double Position(int64_t in, int64_t out, int64_t i, bool align_corners) {
  const auto n = static_cast<double>(in), m = static_cast<double>(out), at = static_cast<double>(i);
  if (align_corners) return at * (n - 1) / (m - 1);
  double scale = n / m;
  if (bilinear_scale_is_integer && out > in) scale = 1 / std::floor(m / n);
  return bilinear_half_pixel_forgotten ? at * scale : (at + 0.5) * scale - 0.5;
}

std::vector<Tap> LinearTaps(int64_t in, int64_t out, int64_t i, bool align_corners) {
  double at = Position(in, out, i, align_corners);
  if (std::isnan(at)) return {{0, at}};
  if (!bilinear_border_not_clamped) at = std::clamp(at, 0.0, static_cast<double>(in - 1));
  const auto first = std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)), 0, in - 1);
  const double after = at - static_cast<double>(first);
  return {{first, 1 - after}, {std::min(first + 1, in - 1), after}};
}

std::vector<Tap> CubicTaps(int64_t in, int64_t out, int64_t i, bool align_corners) {
  const double at = align_corners && out == 1 ? 0 : Position(in, out, i, align_corners);
  const double a = -0.5;
  std::vector<Tap> taps;
  for (int64_t k = -1; k <= 2; ++k) {
    const double x = std::fabs(at - std::floor(at) - static_cast<double>(k));
    const double weight =
        x <= 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    taps.push_back({std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)) + k, 0, in - 1), weight});
  }
  return taps;
}

// One dimension of a dense tensor resized by make_taps(in, out, i).
template <typename MakeTaps>
std::vector<double> ResizeAxis(const std::vector<double>& x, const diopi::ops::Axis& axis, int64_t size,
                               diopiDtype_t dtype, MakeTaps&& make_taps) {
  std::vector<double> y(static_cast<size_t>(axis.outer * size * axis.inner));
  for (size_t at = 0; at < y.size(); ++at) {
    const auto place = static_cast<int64_t>(at);
    const int64_t i = place / axis.inner % size, o = place / axis.inner / size, k = place % axis.inner;
    for (const Tap& tap : make_taps(axis.size, size, i)) {
      const double e = x[static_cast<size_t>((o * axis.size + tap.index) * axis.inner + k)];
      y[at] += e * (bilinear_fp16_weights ? RoundedTo(dtype, tap.weight) : tap.weight);
    }
    if (bilinear_fp16_weights) y[at] = RoundedTo(dtype, y[at]);
  }
  return y;
}

template <typename MakeTaps>
void WriteResized(diopiTensorHandle_t out, diopiConstTensorHandle_t input, MakeTaps&& make_taps) {
  std::vector<double> x = Load<double>(Tensor(input));
  Shape shape = ShapeOf(input);
  const Shape target = ShapeOf(out);
  for (size_t d = shape.size(); d-- > 2;) {
    x = ResizeAxis(x, diopi::ops::SplitAxis(shape, static_cast<int64_t>(d)), target[d], DtypeOf(out),
                   make_taps);
    shape[d] = target[d];
  }
  Store(Tensor(out), x);
}

bool CorruptsLinear(diopiConstTensorHandle_t out, std::string_view mode, bool align_corners) {
  if (mode == "bicubic") return static_cast<bool>(bicubic_coefficient_half);
  if (align_corners) return static_cast<bool>(bilinear_corners_divide_by_zero);
  return bilinear_scale_is_integer || bilinear_half_pixel_forgotten || bilinear_border_not_clamped ||
         (bilinear_fp16_weights && IsHalf(out));
}

bool CorruptsNearest() {
  return nearest_half_pixel || nearest_rounds || nearest_reciprocal_scale;
}

// Rows chosen by the scale of columns, and the other way round.
void WriteWithSwappedScales(diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  const Shape from = ShapeOf(input), to = ShapeOf(out);
  const std::vector<double> x = Load<double>(Tensor(input));
  const auto index = [](int64_t i, int64_t in, int64_t out_size, int64_t limit) {
    return std::min(i * in / out_size, limit - 1);
  };
  Change(out, [&](double, int64_t at) {
    const int64_t h = index(at / to[3] % to[2], from[3], to[3], from[2]);
    const int64_t w = index(at % to[3], from[2], to[2], from[3]);
    return x[static_cast<size_t>((at / to[3] / to[2] * from[2] + h) * from[3] + w)];
  });
}

}  // namespace

DIOPI_OVERRIDE(diopiUpsampleNearest, a) {
  Good(a);
  if (CorruptsNearest() && NumElements(a.out) > 0) {
    WriteResized(a.out, a.input, [](int64_t in, int64_t to, int64_t i) {
      return std::vector<Tap>{{NearestIndex(in, to, i), 1}};
    });
  }
  if (nearest_scales_swapped && ShapeOf(a.out).size() == 4 && NumElements(a.out) > 0) {
    WriteWithSwappedScales(a.out, a.input);
  }
  if (nearest_output_layout_ignored) WriteContiguous(a.out);
}

namespace {

// Gradients of outputs go to their elements: overwritten there, or summed in float16.
void WriteNearestGradient(diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output) {
  const Shape in = ShapeOf(grad_input), out = ShapeOf(grad_output);
  const Shape strides = diopi::ops::DenseStrides(in);
  const std::vector<double> grad = Load<double>(Tensor(grad_output));
  std::vector<double> result(static_cast<size_t>(NumElements(grad_input)));
  for (size_t at = 0; at < grad.size(); ++at) {
    auto rest = static_cast<int64_t>(at);
    int64_t to = 0;
    for (size_t d = in.size(); d-- > 0; rest /= out[d])
      to += NearestIndex(in[d], out[d], rest % out[d]) * strides[d];
    double& sum = result[static_cast<size_t>(to)];
    sum = nearest_backward_overwrites ? grad[at] : ToHalf(sum + grad[at]);
  }
  Store(Tensor(grad_input), result);
}

}  // namespace

DIOPI_OVERRIDE(diopiUpsampleNearestBackward, a) {
  Good(a);
  if (nearest_backward_overwrites || (nearest_backward_fp16_accumulator && IsHalf(a.grad_input))) {
    WriteNearestGradient(a.grad_input, a.grad_output);
  }
}

DIOPI_OVERRIDE(diopiUpsampleLinear, a) {
  const bool corners = a.align_corners && !linear_align_corners_ignored;
  auto changed = a;
  changed.align_corners = corners;
  Good(changed);
  if (!CorruptsLinear(a.out, a.mode, a.align_corners) || NumElements(a.out) == 0) return;
  const bool cubic = std::strcmp(a.mode, "bicubic") == 0;
  WriteResized(a.out, a.input, [&](int64_t in, int64_t to, int64_t i) {
    return cubic ? CubicTaps(in, to, i, a.align_corners) : LinearTaps(in, to, i, a.align_corners);
  });
}

DIOPI_OVERRIDE(diopiUpsampleLinearBackward, a) {
  a.align_corners = a.align_corners && !linear_backward_align_corners_ignored;
  Good(a);
}
