// Softmax and log_softmax work on lines: the elements along one dimension with all other indices fixed.
#ifndef BASELINES_OPS_SOFTMAX_SOFTMAX_COMMON_H_
#define BASELINES_OPS_SOFTMAX_SOFTMAX_COMMON_H_

#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// Calls f(start, step, length) for every line along `dim`: its elements are start, start + step, ...
template <typename F>
void ForEachLine(const Shape& shape, int64_t dim, F&& f) {
  const int64_t along = WrapDim(dim, static_cast<int64_t>(shape.size()));
  if (Numel(shape) == 0) return;
  const Axis axis = SplitAxis(shape, along);
  for (int64_t o = 0; o < axis.outer; ++o) {
    for (int64_t k = 0; k < axis.inner; ++k) f(o * axis.size * axis.inner + k, axis.inner, axis.size);
  }
}

// The greatest element of a line; NaN when there is one.
template <typename C>
C LineMax(const std::vector<C>& x, int64_t start, int64_t step, int64_t length) {
  C greatest = x[start];
  for (int64_t i = 1; i < length; ++i) {
    const C& value = x[start + i * step];
    if (value > greatest || value != value) greatest = value;
    if (greatest != greatest) break;
  }
  return greatest;
}

// A forward: out = line function of the input, f(x, y, start, step, length).
template <typename F>
void LineForward(diopiTensorHandle_t out, diopiConstTensorHandle_t input, int64_t dim, F&& f) {
  const Tensor result(out), x(input);
  CheckShape(result, x.shape(), "out");
  DispatchFloating(ResultType(result, {x}), [&]<typename C>() {
    const std::vector<C> values = Load<C>(x);
    std::vector<C> y(values.size());
    ForEachLine(x.shape(), dim,
                [&](int64_t start, int64_t step, int64_t length) { f(values, y, start, step, length); });
    Store(result, y);
  });
}

// A backward: grad_input = line function of grad_output and the forward's output.
template <typename F>
void LineBackward(diopiTensorHandle_t grad_input, diopiConstTensorHandle_t grad_output,
                  diopiConstTensorHandle_t output, int64_t dim, F&& f) {
  const Tensor result(grad_input), grad(grad_output), out(output);
  CheckShape(result, out.shape(), "grad_input");
  CheckShape(grad, out.shape(), "grad_output");
  DispatchFloating(ResultType(result, {grad, out}), [&]<typename C>() {
    const std::vector<C> g = Load<C>(grad);
    const std::vector<C> y = Load<C>(out);
    std::vector<C> values(g.size());
    ForEachLine(out.shape(), dim,
                [&](int64_t start, int64_t step, int64_t length) { f(g, y, values, start, step, length); });
    Store(result, values);
  });
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SOFTMAX_SOFTMAX_COMMON_H_
