// out = input - alpha * other
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct SubScaled {
  C scale;
  DIOPI_HD C operator()(const C& x, const C& y) const {
    return WrapSub(x, scale == C(1) ? y : WrapMul(scale, y));
  }
};

template <typename Args>
void Sub(const Args& a) {
  const Tensor out(OutOf(a));
  const diopiDtype_t dtype = ResultType(out, a.input, a.other);
  CheckNoTruth(a.input);
  CheckNoTruth(a.other);
  CheckStorable(dtype, out);
  CheckAlpha(a.alpha, dtype);
  DispatchNumeric(dtype, [&]<typename C>() {
    MapOperands<C>(Queue(a.ctx), out, SubScaled<C>{ScalarAs<C>(a.alpha)}, a.input, a.other);
  });
}

}  // namespace

DIOPI_FORMS(Sub, diopiSub, diopiSubInp, diopiSubScalar, diopiSubInpScalar)

}  // namespace diopi::ops::both
