// What add, sub, mul, div and pow share: tensor and scalar operands in one form.
#ifndef BASELINES_OPS_ELEMENTWISE_ARITHMETIC_H_
#define BASELINES_OPS_ELEMENTWISE_ARITHMETIC_H_

#include <vector>

#include "baselines/ops/support/map.h"

namespace diopi::ops {

// An operand of a binary function: a tensor or a host scalar.
struct Operand {
  Operand(diopiTensorHandle_t handle) : tensor(handle) {}       // NOLINT
  Operand(diopiConstTensorHandle_t handle) : tensor(handle) {}  // NOLINT
  Operand(const diopiScalar_t* value) : scalar(value) {}        // NOLINT

  Tensor tensor;
  const diopiScalar_t* scalar = nullptr;

  Shape shape() const { return scalar != nullptr ? Shape{} : tensor.shape(); }
};

// ResultType of two operands of which at most one is a scalar.
inline diopiDtype_t ResultType(const Tensor& out, const Operand& a, const Operand& b) {
  if (a.scalar != nullptr) return ResultType(out, {b.tensor}, {a.scalar});
  if (b.scalar != nullptr) return ResultType(out, {a.tensor}, {b.scalar});
  return ResultType(out, {a.tensor, b.tensor});
}

inline void CheckAlpha(const diopiScalar_t* alpha, diopiDtype_t dtype) {
  Check(IsFloating(dtype) || !ScalarIsFloating(alpha),
        "for integral tensors, argument alpha must not be a floating point number");
}

// The operand broadcast to `shape`.
template <typename C>
std::vector<C> LoadOperand(const Operand& operand, const Shape& shape) {
  if (operand.scalar == nullptr) return LoadAs<C>(operand.tensor, shape);
  return std::vector<C>(static_cast<size_t>(Numel(shape)), ScalarAs<C>(operand.scalar));
}

// out = f(a, b), broadcast, in compute type C.
template <typename C, typename F>
void MapOperands(const Tensor& out, const Operand& a, const Operand& b, F&& f) {
  const Shape shape = BroadcastShapes(a.shape(), b.shape());
  CheckShape(out, shape, "out");
  std::vector<C> x = LoadOperand<C>(a, shape);
  const std::vector<C> y = LoadOperand<C>(b, shape);
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i]);
  Store(out, x);
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_ELEMENTWISE_ARITHMETIC_H_
