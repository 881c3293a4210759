// Softmax and its logarithm as attention kernels and vector libraries write them.
#include "baselines/injected/injected.h"
#include "baselines/ops/softmax/softmax_common.h"
#include "baselines/variants/orders.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kBoth[] = "diopiSoftmax diopiLogSoftmax";
VARIANT(softmax_online, kBoth, "", "maximum and sum in one pass, the sum rescaled when the maximum grows");
VARIANT(softmax_exp2, kBoth, "", "exp2(t * log2 e) for exp(t)");
VARIANT(softmax_blocks, kBoth, "", "maximum and sum of blocks of 16, then merged");
VARIANT(softmax_lanes8, kBoth, "", "the sum in eight lanes");
VARIANT(softmax_double_sum, kBoth, "", "the sum in double");
VARIANT(softmax_reciprocal, "diopiSoftmax", "", "times 1/sum instead of divided by it");
VARIANT(softmax_from_log, "diopiSoftmax", "", "exp(t - log(sum)), t = x - max");
VARIANT(log_softmax_log2, "diopiLogSoftmax", "", "the logarithm as log2 times ln 2");
constexpr char kBackward[] = "diopiSoftmaxBackward diopiLogSoftmaxBackward";
VARIANT(softmax_backward_reversed, kBackward, "", "the line's sum from the end");
VARIANT(softmax_backward_lanes8, kBackward, "", "the line's sum in eight lanes");
VARIANT(softmax_backward_double, kBackward, "", "the line's sum in double");
VARIANT(softmax_backward_fma, kBackward, "", "fused multiply-add; softmax as y*g - y*sum");

template <typename C>
C Exp(const C& t) {
  if (softmax_exp2) return std::exp2(t * static_cast<C>(1.44269504088896340736L));
  return std::exp(t);
}

// The greatest of a line and the sum of exp(x - greatest).
template <typename C>
struct Mass {
  C greatest;
  C sum;
};

// Merges two parts of a line whose maximum is finite; a part of -Inf alone weighs nothing.
template <typename C>
Mass<C> Merge(const Mass<C>& a, const Mass<C>& b) {
  if (std::isinf(a.greatest)) return b;
  if (std::isinf(b.greatest)) return a;
  const C greatest = std::max(a.greatest, b.greatest);
  return {greatest, a.sum * Exp(a.greatest - greatest) + b.sum * Exp(b.greatest - greatest)};
}

template <typename C>
Mass<C> PlainMass(const std::vector<C>& x, int64_t start, int64_t step, int64_t length) {
  const C greatest = LineMax(x, start, step, length);
  const Order order = softmax_lanes8       ? Order::kLanes8
                      : softmax_double_sum ? Order::kDouble
                                           : Order::kSequential;
  return {greatest, SumIn<C>(order, length, [&](int64_t i) { return Exp(x[start + i * step] - greatest); })};
}

template <typename C>
Mass<C> MassOf(const std::vector<C>& x, int64_t start, int64_t step, int64_t length) {
  const Mass<C> plain = PlainMass(x, start, step, length);
  if (!std::isfinite(plain.greatest)) return plain;
  if (softmax_online) {
    Mass<C> mass{x[start], C(1)};
    for (int64_t i = 1; i < length; ++i) mass = Merge(mass, Mass<C>{x[start + i * step], C(1)});
    return mass;
  }
  if (softmax_blocks) {
    constexpr int64_t kBlock = 16;
    Mass<C> mass = PlainMass(x, start, step, std::min(kBlock, length));
    for (int64_t i = kBlock; i < length; i += kBlock)
      mass = Merge(mass, PlainMass(x, start + i * step, step, std::min(kBlock, length - i)));
    return mass;
  }
  return plain;
}

bool ForwardChosen() {
  return softmax_online || softmax_exp2 || softmax_blocks || softmax_lanes8 || softmax_double_sum;
}

bool BackwardChosen() {
  return softmax_backward_reversed || softmax_backward_lanes8 || softmax_backward_double ||
         softmax_backward_fma;
}

Order BackwardOrder() {
  if (softmax_backward_reversed) return Order::kReversed;
  if (softmax_backward_lanes8) return Order::kLanes8;
  return softmax_backward_double ? Order::kDouble : Order::kSequential;
}

template <typename C>
void SoftmaxLine(const std::vector<C>& x, std::vector<C>& y, int64_t start, int64_t step, int64_t length) {
  const Mass<C> mass = MassOf(x, start, step, length);
  const C scale = C(1) / mass.sum, log_sum = std::log(mass.sum);
  for (int64_t i = start; i < start + length * step; i += step) {
    const C t = x[i] - mass.greatest;
    y[i] = softmax_from_log ? Exp(t - log_sum) : softmax_reciprocal ? Exp(t) * scale : Exp(t) / mass.sum;
  }
}

template <typename C>
void LogSoftmaxLine(const std::vector<C>& x, std::vector<C>& y, int64_t start, int64_t step, int64_t length) {
  const Mass<C> mass = MassOf(x, start, step, length);
  const C log_sum =
      log_softmax_log2 ? std::log2(mass.sum) * static_cast<C>(0.693147180559945309417L) : std::log(mass.sum);
  for (int64_t i = start; i < start + length * step; i += step) y[i] = (x[i] - mass.greatest) - log_sum;
}

template <typename C>
void SoftmaxBackwardLine(const std::vector<C>& g, const std::vector<C>& y, std::vector<C>& d, int64_t start,
                         int64_t step, int64_t length) {
  C sum = C(0);
  if (softmax_backward_fma) {
    for (int64_t i = 0; i < length; ++i) sum = std::fma(g[start + i * step], y[start + i * step], sum);
  } else {
    sum = SumIn<C>(BackwardOrder(), length,
                   [&](int64_t i) { return g[start + i * step] * y[start + i * step]; });
  }
  for (int64_t i = start; i < start + length * step; i += step) {
    d[i] = softmax_backward_fma ? std::fma(-sum, y[i], g[i] * y[i]) : y[i] * (g[i] - sum);
  }
}

template <typename C>
void LogSoftmaxBackwardLine(const std::vector<C>& g, const std::vector<C>& y, std::vector<C>& d,
                            int64_t start, int64_t step, int64_t length) {
  const C sum = SumIn<C>(BackwardOrder(), length, [&](int64_t i) { return g[start + i * step]; });
  for (int64_t i = start; i < start + length * step; i += step) {
    d[i] = softmax_backward_fma ? std::fma(-std::exp(y[i]), sum, g[i]) : g[i] - std::exp(y[i]) * sum;
  }
}

// line(x, y, start, step, length) over every line along dim.
template <typename Line>
void Lines(diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim, Line&& line) {
  const Tensor result(out), x(input);
  DispatchReal(result.dtype(), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> y(values.size());
    ForEachLine(x.shape(), dim,
                [&](int64_t start, int64_t step, int64_t length) { line(values, y, start, step, length); });
    Store(result, y);
  });
}

template <typename Line>
void BackwardLines(diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output,
                   diopiConstTensorHandle_t output, int64_t dim, Line&& line) {
  const Tensor result(grad_input), grad(grad_output), out(output);
  DispatchReal(result.dtype(), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad), y = Load<C>(out);
    std::vector<C> d(g.size());
    ForEachLine(out.shape(), dim,
                [&](int64_t start, int64_t step, int64_t length) { line(g, y, d, start, step, length); });
    Store(result, d);
  });
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiSoftmax, a) {
  if (!ForwardChosen() && !softmax_reciprocal && !softmax_from_log) return Good(a);
  return Lines(a.out, a.input, a.dim, [](const auto& x, auto& y, int64_t start, int64_t step, int64_t n) {
    SoftmaxLine(x, y, start, step, n);
  });
}

DIOPI_OVERRIDE(diopiLogSoftmax, a) {
  if (!ForwardChosen() && !log_softmax_log2) return Good(a);
  return Lines(a.out, a.input, a.dim, [](const auto& x, auto& y, int64_t start, int64_t step, int64_t n) {
    LogSoftmaxLine(x, y, start, step, n);
  });
}

DIOPI_OVERRIDE(diopiSoftmaxBackward, a) {
  if (!BackwardChosen()) return Good(a);
  return BackwardLines(a.grad_input, a.grad_output, a.output, a.dim,
                       [](const auto& g, const auto& y, auto& d, int64_t start, int64_t step, int64_t n) {
                         SoftmaxBackwardLine(g, y, d, start, step, n);
                       });
}

DIOPI_OVERRIDE(diopiLogSoftmaxBackward, a) {
  if (!BackwardChosen()) return Good(a);
  return BackwardLines(a.grad_input, a.grad_output, a.output, a.dim,
                       [](const auto& g, const auto& y, auto& d, int64_t start, int64_t step, int64_t n) {
                         LogSoftmaxBackwardLine(g, y, d, start, step, n);
                       });
}
