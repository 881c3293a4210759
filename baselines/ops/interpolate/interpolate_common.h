// Resizing along one dimension as weighted taps, shared by the CPU and the NVIDIA reference.
#ifndef BASELINES_OPS_INTERPOLATE_INTERPOLATE_COMMON_H_
#define BASELINES_OPS_INTERPOLATE_INTERPOLATE_COMMON_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

enum class Interpolation { kNearest, kLinear, kCubic };

// How one output along an axis is made: the sum of weight[k] * input[index[k]]. Indices rise with k, and each
// of them with the output.
template <typename C>
struct Taps {
  int count = 0;
  int64_t index[4] = {};
  C weight[4] = {C(0), C(0), C(0), C(0)};
};

DIOPI_HD inline int64_t Inside(int64_t index, int64_t in) {
  return index < 0 ? 0 : index < in ? index : in - 1;
}

// PyTorch computes this coordinate in float32 whatever the tensors are.
template <typename C>
DIOPI_HD Taps<C> NearestTaps(int64_t in, int64_t out, int64_t i) {
  const float scale = static_cast<float>(in) / static_cast<float>(out);
  const auto at = static_cast<int64_t>(static_cast<float>(i) * scale);  // not negative: truncation is floor
  return {1, {at < in ? at : in - 1}, {C(1)}};
}

// Where output i lies in the input: corners on corners, or pixels as areas.
template <typename C>
DIOPI_HD C SourcePosition(int64_t in, int64_t out, int64_t i, bool align_corners) {
  if (align_corners) return out > 1 ? C(in - 1) / C(out - 1) * C(i) : C(0);
  return C(in) / C(out) * (C(i) + C(0.5)) - C(0.5);
}

template <typename C>
DIOPI_HD int64_t CellBefore(const C& position) {
  using std::floor;
  return static_cast<int64_t>(floor(static_cast<double>(position)));
}

template <typename C>
DIOPI_HD Taps<C> LinearTaps(int64_t in, int64_t out, int64_t i, bool align_corners) {
  C position = SourcePosition<C>(in, out, i, align_corners);
  if (position < C(0)) position = C(0);
  const int64_t at = Inside(CellBefore(position), in);
  const C after = position - C(at);
  return {2, {at, Inside(at + 1, in)}, {C(1) - after, after}};
}

// Keys' cubic convolution with a = -3/4, for distances up to 1 and from 1 to 2.
template <typename C>
DIOPI_HD C CubicNear(const C& x) {
  const C a = C(-0.75);
  return ((a + C(2)) * x - (a + C(3))) * x * x + C(1);
}
template <typename C>
DIOPI_HD C CubicFar(const C& x) {
  const C a = C(-0.75);
  return ((a * x - C(5) * a) * x + C(8) * a) * x - C(4) * a;
}

template <typename C>
DIOPI_HD Taps<C> CubicTaps(int64_t in, int64_t out, int64_t i, bool align_corners) {
  const C position = SourcePosition<C>(in, out, i, align_corners);
  const int64_t at = CellBefore(position);
  const C t = position - C(at);
  return {4,
          {Inside(at - 1, in), Inside(at, in), Inside(at + 1, in), Inside(at + 2, in)},
          {CubicFar(t + C(1)), CubicNear(t), CubicNear(C(1) - t), CubicFar(C(2) - t)}};
}

// An input that an output takes only where its position is rounded to the other side of an element.
template <typename C>
struct TapBeyond {
  int64_t index;
  C weight;  // 0, with the noise of what it may become
};

// Along one axis: its sizes, and how outputs are made of inputs.
struct Resampling {
  Interpolation interpolation;
  bool align_corners;

  // What At leaves out where output i lies on an element as closely as the noise of its position: another
  // rounding has its taps one further on, or one before. C: a number with noise.
  template <typename C>
  std::optional<TapBeyond<C>> Beyond(int64_t in, int64_t out, int64_t i) const {
    if (interpolation == Interpolation::kNearest) return std::nullopt;
    const C position = SourcePosition<C>(in, out, i, align_corners);
    const auto element = std::round(position.v);
    constexpr double kSigmas = 8;  // gate P's
    if (!(std::fabs(position.v - element) < kSigmas * std::sqrt(position.s2))) return std::nullopt;
    const bool cubic = interpolation == Interpolation::kCubic;
    const int64_t reach = cubic ? 2 : 1;
    const int64_t index = static_cast<int64_t>(element) + (position.v < element ? reach : -reach);
    const C distance(0, position.s2);
    return TapBeyond<C>{Inside(index, in), cubic ? CubicFar(C(2) - distance) : distance};
  }

  template <typename C>
  DIOPI_HD Taps<C> At(int64_t in, int64_t out, int64_t i) const {
    if (interpolation == Interpolation::kNearest) return NearestTaps<C>(in, out, i);
    if (interpolation == Interpolation::kLinear) return LinearTaps<C>(in, out, i, align_corners);
    return CubicTaps<C>(in, out, i, align_corners);
  }
};

// The mode of this name, for tensors of `rank` dimensions. Fail for modes and ranks that do not match.
inline Interpolation ParseMode(std::string_view mode, int64_t rank) {
  if (mode == "nearest") return Interpolation::kNearest;
  const bool cubic = mode == "bicubic";
  const int64_t expected = mode == "linear"              ? 3
                           : mode == "bilinear" || cubic ? 4
                           : mode == "trilinear"         ? 5
                                                         : 0;
  Check(expected != 0, "unknown mode '", mode, "', expected linear, bilinear, bicubic or trilinear");
  Check(rank == expected, "mode '", mode, "' is for tensors of ", expected, " dimensions, got ", rank);
  return cubic ? Interpolation::kCubic : Interpolation::kLinear;
}

// The shape of `input` with the dimensions from the third on replaced.
inline Shape Resized(const Shape& input, const Shape& size) {
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

inline std::string_view CheckMode(const char* mode) {
  Check(mode != nullptr && std::string_view(mode) != "nearest",
        "expected a mode: linear, bilinear, bicubic or trilinear");
  return mode;
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_INTERPOLATE_INTERPOLATE_COMMON_H_
