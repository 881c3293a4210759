// out = input / other, true (integers become floating numbers), truncated, or floored as Python's // does.
#include <cmath>

#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

template <typename C>
C DivTrunc(const C& x, const C& y) {
  if constexpr (kIsInteger<C>) {
    Check(y != 0, "integer division by zero");
    return y == -1 ? WrapNeg(x) : x / y;
  } else {
    using std::trunc;
    return trunc(x / y);
  }
}

// For floating numbers from fmod, which is exact: floor(x / y) would be one too high where the quotient was
// rounded up to an integer.
template <typename C>
C DivFloor(const C& x, const C& y) {
  if constexpr (kIsInteger<C>) {
    const C quotient = DivTrunc(x, y);
    const bool inexact = y != -1 && x % y != 0;
    return inexact && ((x < 0) != (y < 0)) ? quotient - 1 : quotient;
  } else {
    using std::copysign;
    using std::floor;
    using std::fmod;
    if (y == C(0)) return x / y;
    const C remainder = fmod(x, y);
    C quotient = (x - remainder) / y;
    if (remainder != C(0) && (y < C(0)) != (remainder < C(0))) quotient -= C(1);
    if (quotient == C(0)) return copysign(C(0), x / y);
    C result = floor(quotient);
    if (quotient - result > C(0.5)) result += C(1);
    return result;
  }
}

diopiError_t Div(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
                 diopiRoundMode_t mode) {
  return Guard(function, [&] {
    const Tensor result(out);
    Check(mode == RoundModeNone || mode == RoundModeTrunc || mode == RoundModeFloor, "unknown rounding mode ",
          static_cast<int>(mode));
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
      if (mode == RoundModeTrunc) return MapOperands<C>(result, a, b, DivTrunc<C>);
      MapOperands<C>(result, a, b, DivFloor<C>);
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
