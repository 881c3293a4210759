// Functions that choose and move elements: masked_fill, where, cast_dtype, fill, zeros, ones.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

diopiError_t MaskedFill(const char* function, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                        diopiConstTensorHandle_t mask, const Operand& value) {
  return Guard(function, [&] {
    const Tensor result(out), x(input), m(mask);
    CheckMask(m, "mask");
    Check(value.shape().empty(), "value must be a 0-dimensional tensor, got shape ",
          ShapeText(value.shape()));
    const Shape shape = BroadcastShapes(x.shape(), m.shape());
    CheckShape(result, shape, "out");
    const std::vector<uint8_t> chosen = LoadBool(m, shape);
    DispatchAny(x.dtype(), [&]<typename C>() {
      std::vector<C> values = LoadAs<C>(x, shape);
      const C fill = LoadOperand<C>(value, {})[0];
      for (size_t i = 0; i < values.size(); ++i) {
        if (chosen[i]) values[i] = fill;
      }
      Store(result, values);
    });
  });
}

diopiError_t Fill(const char* function, diopiTensorHandle_t out, const diopiScalar_t* value) {
  return Guard(function, [&] {
    const Tensor result(out);
    DispatchAny(result.dtype(), [&]<typename C>() { Store(result, LoadOperand<C>(value, result.shape())); });
  });
}

}  // namespace
}  // namespace diopi::ops

using namespace diopi::ops;  // NOLINT: this file is nothing else

diopiError_t diopiMaskedFill(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             diopiConstTensorHandle_t mask, diopiConstTensorHandle_t value) {
  return MaskedFill(__func__, out, input, mask, value);
}
diopiError_t diopiMaskedFillInp(diopiContextHandle_t, diopiTensorHandle_t input,
                                diopiConstTensorHandle_t mask, diopiConstTensorHandle_t value) {
  return MaskedFill(__func__, input, input, mask, value);
}
diopiError_t diopiMaskedFillScalar(diopiContextHandle_t, diopiTensorHandle_t out,
                                   diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                                   const diopiScalar_t* value) {
  return MaskedFill(__func__, out, input, mask, value);
}
diopiError_t diopiMaskedFillInpScalar(diopiContextHandle_t, diopiTensorHandle_t input,
                                      diopiConstTensorHandle_t mask, const diopiScalar_t* value) {
  return MaskedFill(__func__, input, input, mask, value);
}

diopiError_t diopiWhere(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t condition,
                        diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  return Guard(__func__, [&] {
    const Tensor result(out), c(condition), x(input), y(other);
    CheckMask(c, "condition");
    const Shape shape = BroadcastShapes(BroadcastShapes(c.shape(), x.shape()), y.shape());
    CheckShape(result, shape, "out");
    const std::vector<uint8_t> chosen = LoadBool(c, shape);
    DispatchAny(ResultType(result, {x, y}), [&]<typename C>() {
      std::vector<C> values = LoadAs<C>(x, shape);
      const std::vector<C> others = LoadAs<C>(y, shape);
      for (size_t i = 0; i < values.size(); ++i) {
        if (!chosen[i]) values[i] = others[i];
      }
      Store(result, values);
    });
  });
}

diopiError_t diopiCastDtype(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return Guard(__func__, [&] {
    const Tensor result(out), x(input);
    CheckShape(result, x.shape(), "out");
    DispatchAny(x.dtype(), [&]<typename C>() { Store(result, Load<C>(x)); });
  });
}

diopiError_t diopiFill(diopiContextHandle_t, diopiTensorHandle_t input, const diopiScalar_t* value) {
  return Fill(__func__, input, value);
}
diopiError_t diopiZeroInp(diopiContextHandle_t, diopiTensorHandle_t self) {
  const diopiScalar_t zero = IntegerScalar(0);
  return Fill(__func__, self, &zero);
}
diopiError_t diopiZeros(diopiContextHandle_t, diopiTensorHandle_t out, diopiSize_t) {
  const diopiScalar_t zero = IntegerScalar(0);
  return Fill(__func__, out, &zero);
}
diopiError_t diopiOnes(diopiContextHandle_t, diopiTensorHandle_t out, diopiSize_t) {
  const diopiScalar_t one = IntegerScalar(1);
  return Fill(__func__, out, &one);
}
