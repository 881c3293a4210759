// out = input * other; the product of two bool tensors is their conjunction.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

void Mul(diopiTensorHandle_t out, const Operand& a, const Operand& b) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, a, b);
  CheckStorable(dtype, result);
  DispatchAny(dtype, [&]<typename C>() {
    MapOperands<C>(result, a, b, [](const C& x, const C& y) { return WrapMul(x, y); });
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Mul;

DIOPI_KERNEL(diopiMul, a) {
  Mul(a.out, a.input, a.other);
}
DIOPI_KERNEL(diopiMulInp, a) {
  Mul(a.input, a.input, a.other);
}
DIOPI_KERNEL(diopiMulScalar, a) {
  Mul(a.out, a.input, a.other);
}
DIOPI_KERNEL(diopiMulInpScalar, a) {
  Mul(a.input, a.input, a.other);
}
