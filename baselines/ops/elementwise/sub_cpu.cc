// out = input - alpha * other
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

void Sub(diopiTensorHandle_t out, const Operand& a, const Operand& b, const diopiScalar_t* alpha) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, a, b);
  CheckNoTruth(a);
  CheckNoTruth(b);
  CheckStorable(dtype, result);
  CheckAlpha(alpha, dtype);
  DispatchNumeric(dtype, [&]<typename C>() {
    const C scale = ScalarAs<C>(alpha);
    if (scale == C(1)) {
      MapOperands<C>(result, a, b, [](const C& x, const C& y) { return WrapSub(x, y); });
    } else {
      MapOperands<C>(result, a, b, [&](const C& x, const C& y) { return WrapSub(x, WrapMul(scale, y)); });
    }
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Sub;

DIOPI_KERNEL(diopiSub, a) {
  Sub(a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiSubInp, a) {
  Sub(a.input, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiSubScalar, a) {
  Sub(a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiSubInpScalar, a) {
  Sub(a.input, a.input, a.other, a.alpha);
}
