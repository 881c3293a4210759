// Linear and cubic resizing, forward in one step over all neighbours and not dimension after dimension.
#include <string_view>
#include <utility>

#include "baselines/injected/injected.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kForward[] = "diopiUpsampleLinear";
VARIANT(interpolate_rows_first, kForward, "", "the first dimension first");
VARIANT(interpolate_all_weights, kForward, "", "every neighbour times the product of its weights");
VARIANT(interpolate_fma, kForward, "", "the last dimension first, with fused multiply-add");
VARIANT(interpolate_lerp, kForward, "", "a + t * (b - a) for linear weights, the last dimension first");
VARIANT(interpolate_backward_gather, "diopiUpsampleLinearBackward", "",
        "every input gathers from all outputs, with the products of the weights, in double");

// How one output along an axis is made: the sum of weight * input[index].
template <typename C>
using Taps = std::vector<std::pair<int64_t, C>>;

template <typename C>
C Position(int64_t in, int64_t out, int64_t i, bool align_corners) {
  if (align_corners) return out > 1 ? C(in - 1) / C(out - 1) * C(i) : C(0);
  return C(in) / C(out) * (C(i) + C(0.5)) - C(0.5);
}

template <typename C>
C Cubic(const C& x) {
  const C a = C(-0.75);
  return x <= C(1) ? ((a + C(2)) * x - (a + C(3))) * x * x + C(1)
                   : ((a * x - C(5) * a) * x + C(8) * a) * x - C(4) * a;
}

template <typename C>
Taps<C> TapsOf(bool cubic, int64_t in, int64_t out, int64_t i, bool align_corners) {
  C position = Position<C>(in, out, i, align_corners);
  if (!cubic) {
    position = std::max(position, C(0));
    const int64_t at = std::min(static_cast<int64_t>(position), in - 1);
    const C after = position - C(at);
    return {{at, C(1) - after}, {std::min(at + 1, in - 1), after}};
  }
  const auto at = static_cast<int64_t>(std::floor(position));
  const C t = position - C(at);
  Taps<C> taps;
  for (int64_t j = -1; j <= 2; ++j)
    taps.emplace_back(std::clamp<int64_t>(at + j, 0, in - 1), Cubic(std::fabs(t - C(j))));
  return taps;
}

struct Resize {
  Shape in, out;
  bool cubic, align_corners;

  template <typename C>
  C Combine(const Taps<C>& taps, const C* x, int64_t step) const {
    const auto at = [&](size_t i) { return x[taps[i].first * step]; };
    if (interpolate_lerp && !cubic) return at(0) + taps[1].second * (at(1) - at(0));
    C sum = taps[0].second * at(0);
    for (size_t i = 1; i < taps.size(); ++i)
      sum = interpolate_fma ? std::fma(taps[i].second, at(i), sum) : sum + taps[i].second * at(i);
    return sum;
  }

  // One dimension of `shape` resized; `shape` becomes the result's.
  template <typename C>
  std::vector<C> Along(const std::vector<C>& x, size_t d, Shape& shape) const {
    const Axis axis = SplitAxis(shape, static_cast<int64_t>(d));
    shape[d] = out[d];
    std::vector<C> y;
    for (int64_t o = 0; o < axis.outer; ++o) {
      for (int64_t i = 0; i < shape[d]; ++i) {
        const Taps<C> taps = TapsOf<C>(cubic, axis.size, shape[d], i, align_corners);
        for (int64_t k = 0; k < axis.inner; ++k)
          y.push_back(Combine(taps, x.data() + o * axis.size * axis.inner + k, axis.inner));
      }
    }
    return y;
  }

  template <typename C>
  std::vector<C> ByDimension(std::vector<C> x) const {
    Shape shape = in;
    for (size_t i = 2; i < in.size(); ++i)
      x = Along(x, interpolate_rows_first ? i : in.size() + 1 - i, shape);
    return x;
  }

  // f(input, output, weight) over all neighbours of all outputs, the weights of the dimensions multiplied.
  template <typename C, typename F>
  void ForEachNeighbour(F&& f) const {
    const Shape from = DenseStrides(in), to = DenseStrides(out);
    for (int64_t i = 0; i < Numel(out); ++i) {
      Taps<C> all = {{i / to[1] * from[1], C(1)}};
      for (size_t d = 2; d < in.size(); ++d) {
        const Taps<C> taps = TapsOf<C>(cubic, in[d], out[d], i / to[d] % out[d], align_corners);
        Taps<C> next;
        for (const auto& [base, weight] : all) {
          for (const auto& [index, own] : taps) next.emplace_back(base + index * from[d], weight * own);
        }
        all = std::move(next);
      }
      for (const auto& [index, weight] : all) f(index, i, weight);
    }
  }
};

Resize Plan(const Shape& in, const Shape& size, bool align_corners, const char* mode) {
  Resize r{in, in, std::string_view(mode) == "bicubic", align_corners};
  std::copy(size.begin(), size.end(), r.out.begin() + 2);
  return r;
}

// The reference refuses what does not fit.
bool Fits(const char* mode, int64_t rank, int64_t sizes) {
  if (mode == nullptr || rank != sizes + 2) return false;
  const std::string_view name = mode;
  return (name == "linear" && rank == 3) || ((name == "bilinear" || name == "bicubic") && rank == 4) ||
         (name == "trilinear" && rank == 5);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiUpsampleLinear, a) {
  const Tensor result(a.out), x(a.input);
  const bool chosen =
      interpolate_rows_first || interpolate_all_weights || interpolate_fma || interpolate_lerp;
  if (!chosen || !Fits(a.mode, x.rank(), a.size.len)) return Good(a);
  const Resize resize = Plan(x.shape(), Sizes(a.size), a.align_corners, a.mode);
  DispatchReal(x.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    if (!interpolate_all_weights) return Store(result, resize.ByDimension(values));
    std::vector<C> y(static_cast<size_t>(result.numel()), C(0));
    resize.ForEachNeighbour<C>([&](int64_t from, int64_t to, const C& weight) {
      y[static_cast<size_t>(to)] += weight * values[static_cast<size_t>(from)];
    });
    Store(result, y);
  });
}

DIOPI_OVERRIDE(diopiUpsampleLinearBackward, a) {
  const Tensor dx(a.grad_input), grad(a.grad_output);
  if (!interpolate_backward_gather || !Fits(a.mode, dx.rank(), a.out_size.len)) {
    return Good(a);
  }
  const Resize resize = Plan(dx.shape(), Sizes(a.out_size), a.align_corners, a.mode);
  DispatchReal(dx.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    std::vector<Wide<C>> sums(static_cast<size_t>(dx.numel()), Wide<C>(0));
    resize.ForEachNeighbour<C>([&](int64_t from, int64_t to, const C& weight) {
      sums[static_cast<size_t>(from)] += static_cast<Wide<C>>(weight * g[static_cast<size_t>(to)]);
    });
    Store(dx, std::vector<C>(sums.begin(), sums.end()));
  });
}
