// Element-wise functions: everything but the formula.
#ifndef BASELINES_OPS_SUPPORT_MAP_H_
#define BASELINES_OPS_SUPPORT_MAP_H_

#include <vector>

#include "baselines/ops/support/tensor.h"

namespace diopi::ops {

// out = f(input), element by element, in compute type C; the input is broadcast to nothing: shapes are equal.
template <typename C, typename F>
void MapTo(const Tensor& out, const Tensor& input, F&& f) {
  CheckShape(out, input.shape(), "out");
  std::vector<C> values = Load<C>(input);
  for (C& x : values) x = f(x);
  Store(out, values);
}

// out = f(a, b) with both broadcast against each other.
template <typename C, typename F>
void MapTo(const Tensor& out, const Tensor& a, const Tensor& b, F&& f) {
  const Shape shape = BroadcastShapes(a.shape(), b.shape());
  CheckShape(out, shape, "out");
  std::vector<C> x = LoadAs<C>(a, shape);
  const std::vector<C> y = LoadAs<C>(b, shape);
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i]);
  Store(out, x);
}

// out = f(a, b, c), broadcast.
template <typename C, typename F>
void MapTo(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& c, F&& f) {
  const Shape shape = BroadcastShapes(BroadcastShapes(a.shape(), b.shape()), c.shape());
  CheckShape(out, shape, "out");
  std::vector<C> x = LoadAs<C>(a, shape);
  const std::vector<C> y = LoadAs<C>(b, shape);
  const std::vector<C> z = LoadAs<C>(c, shape);
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i], z[i]);
  Store(out, x);
}

// A whole kernel: out = f(input), where the result is a floating number whatever the input is (exp of
// an int64 is a float32). F is a generic lambda over the compute type.
template <typename F>
void FloatUnary(diopiTensorHandle_t out, diopiConstTensorHandle_t input, F&& f) {
  const Tensor result(out), x(input);
  CheckStorable(FloatResultType(result, {x}), result);
  DispatchFloating(FloatResultType(result, {x}), [&]<typename C>() { MapTo<C>(result, x, f); });
}

// The same for functions that keep the input's kind of number (neg, abs, relu); not for bool.
template <typename F>
void NumericUnary(diopiTensorHandle_t out, diopiConstTensorHandle_t input, F&& f) {
  const Tensor result(out), x(input);
  DispatchNumeric(ResultType(result, {x}), [&]<typename C>() { MapTo<C>(result, x, f); });
}

// grad_input = f(grad_output, saved) of floating tensors.
template <typename F>
void FloatBinary(diopiTensorHandle_t out, diopiConstTensorHandle_t a, diopiConstTensorHandle_t b, F&& f) {
  const Tensor result(out), x(a), y(b);
  DispatchFloating(ResultType(result, {x, y}), [&]<typename C>() { MapTo<C>(result, x, y, f); });
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_MAP_H_
