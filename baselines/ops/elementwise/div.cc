// out = input / other, true (integers become floating numbers), truncated, or floored as Python's // does.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::both {
namespace {

struct Quotient {
  static constexpr bool kMayFail = true;  // for integers
  diopiRoundMode_t mode;
  template <typename C>
  DIOPI_HD C operator()(const C& x, const C& y) const {
    if constexpr (kIsInteger<C>) {
      if (y == 0) return IntegerDividedByZero();
    } else if (mode == RoundModeNone) {
      return x / y;
    }
    return mode == RoundModeTrunc ? DivTrunc(x, y) : DivFloor(x, y);
  }
};

template <typename Args>
void Div(const Args& a) {
  const Tensor out(OutOf(a));
  CheckRoundMode(a.rounding_mode);
  diopiDtype_t dtype = ResultType(out, a.input, a.other);
  if (a.rounding_mode == RoundModeNone) dtype = FloatFor(dtype, out);
  CheckStorable(dtype, out);
  DispatchNumeric(dtype, [&]<typename C>() {
    MapOperands<C>(Queue(a.ctx), out, Quotient{a.rounding_mode}, a.input, a.other);
  });
}

}  // namespace

DIOPI_FORMS(Div, diopiDiv, diopiDivInp, diopiDivScalar, diopiDivInpScalar)

}  // namespace diopi::ops::both
