// Shared by element-wise functions: one form for tensor and scalar operands, and checks of arguments.
#ifndef BASELINES_OPS_ELEMENTWISE_ARITHMETIC_H_
#define BASELINES_OPS_ELEMENTWISE_ARITHMETIC_H_

#include <string_view>

#include "baselines/ops/both.h"

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

// Subtraction is for numbers.
inline void CheckNoTruth(const Operand& operand) {
  const bool truth =
      operand.scalar != nullptr ? IsBool(operand.scalar->stype) : IsBool(operand.tensor.dtype());
  Check(!truth, "subtraction with a bool operand is not supported");
}

inline void CheckRoundMode(diopiRoundMode_t mode) {
  Check(mode == RoundModeNone || mode == RoundModeTrunc || mode == RoundModeFloor, "unknown rounding mode ",
        static_cast<int>(mode));
}

// A negative power of an integer is not an integer.
inline void CheckExponent(const Operand& exponent, diopiDtype_t dtype) {
  const bool negative = exponent.scalar != nullptr && ScalarAsInt(exponent.scalar) < 0;
  Check(IsFloating(dtype) || !negative, "integers to negative integer powers are not allowed");
}

inline void CheckMask(const Tensor& mask, const char* name) {
  Check(static_cast<bool>(mask), name, " is null");
  Check(IsBool(mask.dtype()) || mask.dtype() == diopi_dtype_uint8, name, " must be bool or uint8, got ",
        DtypeName(mask.dtype()));
}

inline bool IsTanhGelu(const char* approximate) {
  const std::string_view form = approximate == nullptr ? "none" : approximate;
  Check(form == "none" || form == "tanh", "approximate must be 'none' or 'tanh', got '", form, "'");
  return form == "tanh";
}

inline diopiScalar_t IntegerScalar(int64_t value) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_int64;
  scalar.ival = value;
  return scalar;
}

namespace both {

// The operand broadcast to `shape`.
template <typename C>
In<C> OperandAt(const Operand& operand, const Shape& shape) {
  if (operand.scalar != nullptr) return In<C>::Constant(ScalarAs<C>(operand.scalar));
  return In<C>(operand.tensor, shape);
}

// out = f(a, b), broadcast, in compute type C.
template <typename C, typename F>
void MapOperands(const Queue& queue, const Tensor& out, const F& f, const Operand& a, const Operand& b) {
  const Shape shape = BroadcastShapes(a.shape(), b.shape());
  CheckShape(out, shape, "out");
  Map(queue, out.numel(), Out<C>(out), f, OperandAt<C>(a, shape), OperandAt<C>(b, shape));
}

}  // namespace both
}  // namespace diopi::ops

#endif  // BASELINES_OPS_ELEMENTWISE_ARITHMETIC_H_
