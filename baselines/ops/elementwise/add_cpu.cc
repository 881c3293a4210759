// out = input + alpha * other
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

void Add(diopiTensorHandle_t out, const Operand& a, const Operand& b, const diopiScalar_t* alpha) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, a, b);
  CheckStorable(dtype, result);
  CheckAlpha(alpha, dtype);
  DispatchAny(dtype, [&]<typename C>() {
    C scale = ScalarAs<C>(alpha);
    if (IsBool(dtype) && scale != C(0)) scale = C(1);  // a truth value, not a number
    if (scale == C(1)) {
      MapOperands<C>(result, a, b, [](const C& x, const C& y) { return WrapAdd(x, y); });
    } else {
      MapOperands<C>(result, a, b, [&](const C& x, const C& y) { return WrapAdd(x, WrapMul(scale, y)); });
    }
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Add;

DIOPI_KERNEL(diopiAdd, a) {
  Add(a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiAddInp, a) {
  Add(a.input, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiAddScalar, a) {
  Add(a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiAddInpScalar, a) {
  Add(a.input, a.input, a.other, a.alpha);
}
