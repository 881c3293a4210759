// Bugs injected in softmax and log_softmax.
#include <algorithm>
#include <limits>

#include "baselines/bugs/support.h"
#include "baselines/ops/softmax/softmax_common.h"

namespace {

using diopi::bugs::Load;
using diopi::bugs::Store;
using diopi::bugs::Tensor;
using diopi::bugs::ToHalf;
using diopi::ops::ForEachLine;

BUG(softmax_without_max, 19, "diopiSoftmax", "", "the maximum is not subtracted: exp overflows");
BUG(log_softmax_as_log_of_softmax, 20, "diopiLogSoftmax", "", "the logarithm of a softmax that underflows");
BUG(softmax_masked_row_zero, 69, "diopiSoftmax", "", "a row of -inf gives zeros instead of NaN");
BUG(softmax_masked_row_uniform, 69, "diopiSoftmax", "", "a row of -inf gives 1/n instead of NaN");
BUG(softmax_negative_dim_negated, 0, "diopiSoftmax diopiLogSoftmax", "",
    "a negative dim loses its sign instead of being counted from the end");
BUG(softmax_last_block_not_rescaled, 0, "diopiSoftmax", "",
    "online softmax over blocks of 256 does not rescale its sum for the maximum of the last block");
BUG(softmax_fp16_sum, 0, "diopiSoftmax", "", "the exponentials are added up in float16 in float16");
BUG(log_softmax_sum_drops_tail, 0, "diopiLogSoftmax", "",
    "the sum omits the terms after the last whole vector of 4");
BUG(log_softmax_nan_skipped, 0, "diopiLogSoftmax", "", "a maximum that ignores NaN, and a sum that skips it");
BUG(softmax_backward_without_sum, 0, "diopiSoftmaxBackward", "", "grad_input is y * g");
BUG(log_softmax_backward_without_sum, 0, "diopiLogSoftmaxBackward", "", "grad_input is g - exp(y)");
BUG(log_softmax_backward_fp16_sum, 0, "diopiLogSoftmaxBackward", "",
    "the gradients are added up in float16 in float16");

// One line: its elements, and where it lies.
template <typename C>
struct Line {
  const std::vector<C>& x;
  int64_t start, step, length;

  C At(int64_t i) const { return x[static_cast<size_t>(start + i * step)]; }
  C Max() const { return diopi::ops::LineMax(x, start, step, length); }
};

// y = f(line) for every line along dim; f returns the line's elements.
template <typename F>
void EachLine(diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim, F&& f) {
  const auto line_function = [&]<typename C>(const std::vector<C>& x, std::vector<C>& y, int64_t start,
                                             int64_t step, int64_t length) {
    if constexpr (!diopi::ops::kIsNoise<C>) {
      const std::vector<C> values = f(Line<C>{x, start, step, length});
      for (int64_t i = 0; i < length; ++i) {
        y[static_cast<size_t>(start + i * step)] = values[static_cast<size_t>(i)];
      }
    }
  };
  return diopi::ops::LineForward(out, input, dim, line_function);
}

template <typename C>
std::vector<C> WithoutMax(const Line<C>& line) {
  std::vector<C> y;
  C sum = 0;
  for (int64_t i = 0; i < line.length; ++i) sum += y.emplace_back(std::exp(line.At(i)));
  for (C& value : y) value /= sum;
  return y;
}

template <typename C>
std::vector<C> Softmax(const Line<C>& line, bool narrow) {
  std::vector<C> y;
  const C greatest = line.Max();
  C sum = 0;
  for (int64_t i = 0; i < line.length; ++i) {
    sum += y.emplace_back(std::exp(line.At(i) - greatest));
    if (narrow) sum = static_cast<C>(ToHalf(static_cast<double>(sum)));
  }
  for (C& value : y) value /= sum;
  return y;
}

// Like kernels that guard against -inf - (-inf).
template <typename C>
std::vector<C> MaskedRow(const Line<C>& line) {
  if (line.Max() != -std::numeric_limits<C>::infinity()) return Softmax(line, false);
  const C share = softmax_masked_row_uniform ? C(1) / static_cast<C>(line.length) : C(0);
  return std::vector<C>(static_cast<size_t>(line.length), share);
}

// Keeps a running maximum and the sum relative to it; the last block's step forgets the rescaling.
template <typename C>
std::vector<C> OnlineSoftmax(const Line<C>& line) {
  constexpr int64_t kBlock = 256;
  C greatest = -std::numeric_limits<C>::infinity(), sum = 0;
  for (int64_t start = 0; start < line.length; start += kBlock) {
    const int64_t end = std::min(line.length, start + kBlock);
    C now = greatest;
    for (int64_t i = start; i < end; ++i) now = std::max(now, line.At(i));
    const bool last = end == line.length && start > 0;
    if (start > 0 && !last) sum *= std::exp(greatest - now);
    greatest = now;
    for (int64_t i = start; i < end; ++i) sum += std::exp(line.At(i) - greatest);
  }
  std::vector<C> y(static_cast<size_t>(line.length));
  for (int64_t i = 0; i < line.length; ++i) y[static_cast<size_t>(i)] = std::exp(line.At(i) - greatest) / sum;
  return y;
}

template <typename C>
std::vector<C> LogOfSoftmax(const Line<C>& line) {
  std::vector<C> y = Softmax(line, false);
  for (C& value : y) value = std::log(value);
  return y;
}

template <typename C>
std::vector<C> LogSoftmaxOfPart(const Line<C>& line) {
  const int64_t whole = line.length >= 4 ? line.length / 4 * 4 : line.length;
  const int64_t counted = log_softmax_sum_drops_tail ? whole : line.length;
  C greatest = line.Max(), sum = 0;
  if (log_softmax_nan_skipped) {
    greatest = -std::numeric_limits<C>::infinity();
    for (int64_t i = 0; i < line.length; ++i) greatest = std::fmax(greatest, line.At(i));
  }
  for (int64_t i = 0; i < counted; ++i) {
    const C term = std::exp(line.At(i) - greatest);
    if (!(log_softmax_nan_skipped && std::isnan(line.At(i)))) sum += term;
  }
  std::vector<C> y(static_cast<size_t>(line.length));
  for (int64_t i = 0; i < line.length; ++i) y[static_cast<size_t>(i)] = line.At(i) - greatest - std::log(sum);
  return y;
}

int64_t InjectedDim(int64_t dim, diopiConstTensorHandle_t input) {
  const int64_t rank = static_cast<int64_t>(diopi::bugs::ShapeOf(input).size());
  return softmax_negative_dim_negated && dim < 0 ? std::min(-dim, rank - 1) : dim;
}

// f(g, y, sum of the line's gradients) for every element.
template <typename C, typename F>
void EachGradient(const Tensor& result, const Tensor& grad, const Tensor& output, int64_t dim, bool narrow,
                  F&& f) {
  const std::vector<C> g = Load<C>(grad), y = Load<C>(output);
  std::vector<C> values(g.size());
  ForEachLine(output.shape(), dim, [&](int64_t start, int64_t step, int64_t length) {
    C sum = 0;
    for (int64_t i = 0; i < length; ++i) {
      sum += g[static_cast<size_t>(start + i * step)];
      if (narrow) sum = static_cast<C>(ToHalf(static_cast<double>(sum)));
    }
    for (int64_t i = 0; i < length; ++i) {
      const size_t at = static_cast<size_t>(start + i * step);
      values[at] = f(g[at], y[at], sum);
    }
  });
  Store(result, values);
}

template <typename F>
void Gradients(diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad, diopiConstTensorHandle_t output,
               int64_t dim, bool narrow, F&& f) {
  const Tensor result(grad_input), g(grad), y(output);
  if (result.dtype() == diopi_dtype_float64) return EachGradient<double>(result, g, y, dim, narrow, f);
  EachGradient<float>(result, g, y, dim, narrow, f);
}

}  // namespace

DIOPI_OVERRIDE(diopiSoftmax, a) {
  const bool half = diopi::bugs::DtypeOf(a.input) == diopi_dtype_float16;
  const auto own = [&](auto&& f) { return EachLine(a.out, a.input, a.dim, f); };
  if (softmax_without_max) return own([](const auto& line) { return WithoutMax(line); });
  if (softmax_last_block_not_rescaled) return own([](const auto& line) { return OnlineSoftmax(line); });
  if (softmax_fp16_sum && half) return own([](const auto& line) { return Softmax(line, true); });
  if (softmax_masked_row_zero || softmax_masked_row_uniform) {
    return own([](const auto& line) { return MaskedRow(line); });
  }
  a.dim = InjectedDim(a.dim, a.input);
  Good(a);
}

DIOPI_OVERRIDE(diopiLogSoftmax, a) {
  const auto own = [&](auto&& f) { return EachLine(a.out, a.input, a.dim, f); };
  if (log_softmax_as_log_of_softmax) return own([](const auto& line) { return LogOfSoftmax(line); });
  if (log_softmax_sum_drops_tail || log_softmax_nan_skipped) {
    return own([](const auto& line) { return LogSoftmaxOfPart(line); });
  }
  a.dim = InjectedDim(a.dim, a.input);
  Good(a);
}

DIOPI_OVERRIDE(diopiSoftmaxBackward, a) {
  if (!softmax_backward_without_sum) {
    return Good(a);
  }
  return Gradients(a.grad_input, a.grad_output, a.output, a.dim, false,
                   [](auto g, auto y, auto) { return y * g; });
}

DIOPI_OVERRIDE(diopiLogSoftmaxBackward, a) {
  if (log_softmax_backward_without_sum) {
    return Gradients(a.grad_input, a.grad_output, a.output, a.dim, false,
                     [](auto g, auto y, auto) { return g - std::exp(y); });
  }
  if (log_softmax_backward_fp16_sum && diopi::bugs::DtypeOf(a.output) == diopi_dtype_float16) {
    return Gradients(a.grad_input, a.grad_output, a.output, a.dim, true,
                     [](auto g, auto y, auto sum) { return g - std::exp(y) * sum; });
  }
  Good(a);
}
