// Functions that choose and move elements: masked_fill, where, cast_dtype, fill, zeros, ones.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

void MaskedFill(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                const Operand& value) {
  const Tensor result(out), x(input), m(mask);
  CheckMask(m, "mask");
  Check(value.shape().empty(), "value must be a 0-dimensional tensor, got shape ", ShapeText(value.shape()));
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
}

void Fill(diopiTensorHandle_t out, const diopiScalar_t* value) {
  const Tensor result(out);
  DispatchAny(result.dtype(), [&]<typename C>() { Store(result, LoadOperand<C>(value, result.shape())); });
}

}  // namespace
}  // namespace diopi::ops

using namespace diopi::ops;  // NOLINT: this file is nothing else

DIOPI_KERNEL(diopiMaskedFill, a) {
  MaskedFill(a.out, a.input, a.mask, a.value);
}
DIOPI_KERNEL(diopiMaskedFillInp, a) {
  MaskedFill(a.input, a.input, a.mask, a.value);
}
DIOPI_KERNEL(diopiMaskedFillScalar, a) {
  MaskedFill(a.out, a.input, a.mask, a.value);
}
DIOPI_KERNEL(diopiMaskedFillInpScalar, a) {
  MaskedFill(a.input, a.input, a.mask, a.value);
}

DIOPI_KERNEL(diopiWhere, a) {
  const Tensor result(a.out), c(a.condition), x(a.input), y(a.other);
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
}

DIOPI_KERNEL(diopiCastDtype, a) {
  const Tensor result(a.out), x(a.input);
  CheckShape(result, x.shape(), "out");
  DispatchAny(x.dtype(), [&]<typename C>() { Store(result, Load<C>(x)); });
}

DIOPI_KERNEL(diopiFill, a) {
  Fill(a.input, a.value);
}
DIOPI_KERNEL(diopiZeroInp, a) {
  const diopiScalar_t zero = IntegerScalar(0);
  Fill(a.self, &zero);
}
DIOPI_KERNEL(diopiZeros, a) {
  const diopiScalar_t zero = IntegerScalar(0);
  Fill(a.out, &zero);
}
DIOPI_KERNEL(diopiOnes, a) {
  const diopiScalar_t one = IntegerScalar(1);
  Fill(a.out, &one);
}
