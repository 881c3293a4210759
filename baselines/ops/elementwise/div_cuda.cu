// out = input / other, true (integers become floating numbers), truncated, or floored as Python's // does.
#include "baselines/ops/elementwise/arithmetic_cuda.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::cuda {
namespace {

struct Quotient {
  diopiRoundMode_t mode;
  template <typename C>
  DIOPI_HD C operator()(C x, C y) const {
    if constexpr (kIsInteger<C>) {
      // A GPU cannot tell of a division by zero, and PyTorch's result is any number there: all bits set.
      if (y == 0) return -1;
    } else if (mode == RoundModeNone) {
      return x / y;
    }
    return mode == RoundModeTrunc ? DivTrunc(x, y) : DivFloor(x, y);
  }
};

diopiError_t Div(const char* function, diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a,
                 const Operand& b, diopiRoundMode_t mode) {
  return Guard(function, [&] {
    const Tensor result(out);
    CheckRoundMode(mode);
    diopiDtype_t dtype = ResultType(result, a, b);
    if (mode == RoundModeNone) dtype = FloatFor(dtype, result);
    CheckStorable(dtype, result);
    DispatchNumeric(dtype, [&]<typename C>() { MapOperands<C>(ctx, result, Quotient{mode}, a, b); });
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Div;

diopiError_t diopiDiv(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode) {
  return Div(__func__, ctx, out, input, other, rounding_mode);
}
diopiError_t diopiDivInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         diopiRoundMode_t rounding_mode) {
  return Div(__func__, ctx, input, input, other, rounding_mode);
}
diopiError_t diopiDivScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, diopiRoundMode_t rounding_mode) {
  return Div(__func__, ctx, out, input, other, rounding_mode);
}
diopiError_t diopiDivInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                               const diopiScalar_t* other, diopiRoundMode_t rounding_mode) {
  return Div(__func__, ctx, input, input, other, rounding_mode);
}
