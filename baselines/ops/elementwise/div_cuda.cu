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

void Div(diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a, const Operand& b,
         diopiRoundMode_t mode) {
  const Tensor result(out);
  CheckRoundMode(mode);
  diopiDtype_t dtype = ResultType(result, a, b);
  if (mode == RoundModeNone) dtype = FloatFor(dtype, result);
  CheckStorable(dtype, result);
  DispatchNumeric(dtype, [&]<typename C>() { MapOperands<C>(ctx, result, Quotient{mode}, a, b); });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Div;

DIOPI_KERNEL(diopiDiv, a) {
  Div(a.ctx, a.out, a.input, a.other, a.rounding_mode);
}
DIOPI_KERNEL(diopiDivInp, a) {
  Div(a.ctx, a.input, a.input, a.other, a.rounding_mode);
}
DIOPI_KERNEL(diopiDivScalar, a) {
  Div(a.ctx, a.out, a.input, a.other, a.rounding_mode);
}
DIOPI_KERNEL(diopiDivInpScalar, a) {
  Div(a.ctx, a.input, a.input, a.other, a.rounding_mode);
}
