// out = input / other, true (integers become floating numbers), truncated, or floored as Python's // does.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops {
namespace {

template <typename C>
void CheckDivisor(const C& y) {
  if constexpr (kIsInteger<C>) Check(y != 0, "integer division by zero");
}

diopiError_t Div(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
                 diopiRoundMode_t mode) {
  return Guard(function, [&] {
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
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Div;

diopiError_t diopiDiv(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode) {
  return Div(__func__, out, input, other, rounding_mode);
}
diopiError_t diopiDivInp(diopiContextHandle_t, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         diopiRoundMode_t rounding_mode) {
  return Div(__func__, input, input, other, rounding_mode);
}
diopiError_t diopiDivScalar(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, diopiRoundMode_t rounding_mode) {
  return Div(__func__, out, input, other, rounding_mode);
}
diopiError_t diopiDivInpScalar(diopiContextHandle_t, diopiTensorHandle_t input, const diopiScalar_t* other,
                               diopiRoundMode_t rounding_mode) {
  return Div(__func__, input, input, other, rounding_mode);
}
