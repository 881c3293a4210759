// out = input + alpha * other
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops::both {
namespace {

template <typename C>
struct AddScaled {
  C scale;
  DIOPI_HD C operator()(const C& x, const C& y) const {
    return WrapAdd(x, scale == C(1) ? y : WrapMul(scale, y));
  }
};

template <typename Args>
void Add(const Args& a) {
  const Tensor out(OutOf(a));
  const diopiDtype_t dtype = ResultType(out, a.input, a.other);
  CheckStorable(dtype, out);
  CheckAlpha(a.alpha, dtype);
  DispatchAny(dtype, [&]<typename C>() {
    C scale = ScalarAs<C>(a.alpha);
    if (IsBool(dtype) && scale != C(0)) scale = C(1);  // a truth value, not a number
    MapOperands<C>(Queue(a.ctx), out, AddScaled<C>{scale}, a.input, a.other);
  });
}

}  // namespace

DIOPI_FORMS(Add, diopiAdd, diopiAddInp, diopiAddScalar, diopiAddInpScalar)

}  // namespace diopi::ops::both
