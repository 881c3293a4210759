// out = input / other, true (integers become floating numbers), truncated, or floored as Python's // does.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops {
namespace {

template <typename C>
void CheckDivisor(const C& y) {
  if constexpr (kIsInteger<C>) Check(y != 0, "integer division by zero");
}

void Div(diopiTensorHandle_t out, const Operand& a, const Operand& b, diopiRoundMode_t mode) {
  const Tensor result(out);
  CheckRoundMode(mode);
  diopiDtype_t dtype = ResultType(result, a, b);
  if (mode == RoundModeNone) {
    dtype = FloatFor(dtype, result);
    CheckStorable(dtype, result);
    DispatchFloating(dtype, [&]<typename C>() {
      MapOperands<C>(result, a, b, [](const C& x, const C& y) { return x / y; });
    });
    return;
  }
  CheckStorable(dtype, result);
  DispatchNumeric(dtype, [&]<typename C>() {
    MapOperands<C>(result, a, b, [mode](const C& x, const C& y) {
      CheckDivisor(y);
      return mode == RoundModeTrunc ? DivTrunc(x, y) : DivFloor(x, y);
    });
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Div;

DIOPI_KERNEL(diopiDiv, a) {
  Div(a.out, a.input, a.other, a.rounding_mode);
}
DIOPI_KERNEL(diopiDivInp, a) {
  Div(a.input, a.input, a.other, a.rounding_mode);
}
DIOPI_KERNEL(diopiDivScalar, a) {
  Div(a.out, a.input, a.other, a.rounding_mode);
}
DIOPI_KERNEL(diopiDivInpScalar, a) {
  Div(a.input, a.input, a.other, a.rounding_mode);
}
