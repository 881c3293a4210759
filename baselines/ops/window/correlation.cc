// Correlation of two images: for every place and every displacement, the sum over channels and a small window
// of the products of the first image's elements and the second's displaced ones. What lies outside either
// image adds nothing.
#include "baselines/ops/both.h"
#include "baselines/ops/support/sum.h"

namespace diopi::ops::both {
namespace {

struct CorrelationGeometry {
  int64_t batch, channels;
  int64_t sizes[2], kernel[2], patch[2], pad[2], dilation[2], spread[2], stride[2], cells[2];

  DIOPI_HD int64_t Taps() const { return kernel[0] * kernel[1]; }
  DIOPI_HD int64_t Patches() const { return patch[0] * patch[1]; }
  DIOPI_HD int64_t Displaced(int d, int64_t displacement) const {
    const int64_t at = d == 0 ? displacement / patch[1] : displacement % patch[1];
    return (at - (patch[d] - 1) / 2) * spread[d];
  }
  DIOPI_HD int64_t InInput(int d, int64_t cell, int64_t tap) const {
    return cell * stride[d] - pad[d] + (d == 0 ? tap / kernel[1] : tap % kernel[1]) * dilation[d];
  }
  DIOPI_HD bool Inside(int64_t y, int64_t x) const {
    return y >= 0 && x >= 0 && y < sizes[0] && x < sizes[1];
  }
  // The output's row or column whose tap looks at `at` of the first image; -1: none.
  DIOPI_HD int64_t CellOf(int d, int64_t at, int64_t tap) const {
    const int64_t from = at + pad[d] - (d == 0 ? tap / kernel[1] : tap % kernel[1]) * dilation[d];
    if (from < 0 || from % stride[d] != 0 || from / stride[d] >= cells[d]) return -1;
    return from / stride[d];
  }
  DIOPI_HD int64_t InAt(int64_t image, int64_t channel, int64_t y, int64_t x) const {
    return ((image * channels + channel) * sizes[0] + y) * sizes[1] + x;
  }
  Shape OutShape() const { return {batch, patch[0], patch[1], cells[0], cells[1]}; }
};

template <typename C>
struct CorrelationSum {
  Out<C> out;
  In<C> first, second;
  CorrelationGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t column = i % g.cells[1], row = i / g.cells[1] % g.cells[0];
    const int64_t displacement = i / g.cells[1] / g.cells[0] % g.Patches();
    const int64_t image = i / g.cells[1] / g.cells[0] / g.Patches();
    Sum<C> sum;
    for (int64_t tap = 0; tap < g.Taps(); ++tap) {
      const int64_t y = g.InInput(0, row, tap), x = g.InInput(1, column, tap);
      const int64_t y2 = y + g.Displaced(0, displacement), x2 = x + g.Displaced(1, displacement);
      if (!g.Inside(y, x) || !g.Inside(y2, x2)) continue;
      for (int64_t c = 0; c < g.channels; ++c)
        sum += first[g.InAt(image, c, y, x)] * second[g.InAt(image, c, y2, x2)];
    }
    out.Set(i, sum.total());
  }
};

// The gradient of the first image (sign 1) from the second, or the other way round (sign -1).
template <typename C>
struct CorrelationGrad {
  Out<C> out;
  In<C> other, grad;
  int64_t sign;
  CorrelationGeometry g;
  DIOPI_HD void operator()(int64_t i) const {
    const int64_t x = i % g.sizes[1], y = i / g.sizes[1] % g.sizes[0], plane = i / g.sizes[1] / g.sizes[0];
    const int64_t image = plane / g.channels;
    Sum<C> sum;
    for (int64_t displacement = 0; displacement < g.Patches(); ++displacement) {
      const int64_t y2 = y + sign * g.Displaced(0, displacement),
                    x2 = x + sign * g.Displaced(1, displacement);
      if (!g.Inside(y2, x2)) continue;
      const C value = other[g.InAt(image, plane % g.channels, y2, x2)];
      for (int64_t tap = 0; tap < g.Taps(); ++tap) {
        const int64_t row = g.CellOf(0, sign > 0 ? y : y2, tap), column = g.CellOf(1, sign > 0 ? x : x2, tap);
        if (row < 0 || column < 0) continue;
        sum += value * grad[((image * g.Patches() + displacement) * g.cells[0] + row) * g.cells[1] + column];
      }
    }
    out.Set(i, sum.total());
  }
};

template <typename Args>
CorrelationGeometry CorrelationSizes(const Args& a) {
  const Tensor x(a.input1);
  Check(x.rank() == 4, "expected images of 4 dimensions, got ", ShapeText(x.shape()));
  CheckShape(Tensor(a.input2), x.shape(), "input2");
  CorrelationGeometry g{x.size(0),
                        x.size(1),
                        {x.size(2), x.size(3)},
                        {a.kH, a.kW},
                        {a.patchH, a.patchW},
                        {a.padH, a.padW},
                        {a.dilationH, a.dilationW},
                        {a.dilation_patchH, a.dilation_patchW},
                        {a.dH, a.dW},
                        {0, 0}};
  for (int d = 0; d < 2; ++d) {
    const int64_t room = g.sizes[d] + 2 * g.pad[d] - g.dilation[d] * (g.kernel[d] - 1) - 1;
    Check(g.stride[d] > 0 && g.patch[d] > 0 && room >= 0, "the kernel does not fit into the images");
    g.cells[d] = room / g.stride[d] + 1;
  }
  return g;
}

}  // namespace

DIOPI_KERNEL(diopiCorrelationMmcv, a) {
  const Tensor out(a.output), first(a.input1);
  const CorrelationGeometry g = CorrelationSizes(a);
  CheckShape(out, g.OutShape(), "output");
  DispatchFloating(ResultType(out, {first}), [&]<typename C>() {
    ForEach(Queue(a.ctx), out.numel(),
            CorrelationSum<C>{Out<C>(out), In<C>(first), In<C>(Tensor(a.input2)), g});
  });
}

DIOPI_KERNEL(diopiCorrelationBackwardMmcv, a) {
  const Tensor to_first(a.grad_input1), to_second(a.grad_input2), first(a.input1), grad(a.grad_output);
  const CorrelationGeometry g = CorrelationSizes(a);
  CheckShape(grad, g.OutShape(), "grad_output");
  CheckShape(to_first, first.shape(), "grad_input1");
  CheckShape(to_second, first.shape(), "grad_input2");
  DispatchFloating(ResultType(to_first, {first}), [&]<typename C>() {
    const Queue queue(a.ctx);
    const In<C> grads(grad);
    ForEach(queue, first.numel(), CorrelationGrad<C>{Out<C>(to_first), In<C>(Tensor(a.input2)), grads, 1, g});
    ForEach(queue, first.numel(), CorrelationGrad<C>{Out<C>(to_second), In<C>(first), grads, -1, g});
  });
}

}  // namespace diopi::ops::both
