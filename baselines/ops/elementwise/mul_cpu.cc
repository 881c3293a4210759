// out = input * other; the product of two bool tensors is their conjunction.
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

diopiError_t Mul(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b) {
  return Guard(function, [&] {
    const Tensor result(out);
    const diopiDtype_t dtype = ResultType(result, a, b);
    CheckStorable(dtype, result);
    DispatchAny(dtype, [&]<typename C>() {
      MapOperands<C>(result, a, b, [](const C& x, const C& y) { return WrapMul(x, y); });
    });
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Mul;

diopiError_t diopiMul(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  return Mul(__func__, out, input, other);
}
diopiError_t diopiMulInp(diopiContextHandle_t, diopiTensorHandle_t input, diopiConstTensorHandle_t other) {
  return Mul(__func__, input, input, other);
}
diopiError_t diopiMulScalar(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other) {
  return Mul(__func__, out, input, other);
}
diopiError_t diopiMulInpScalar(diopiContextHandle_t, diopiTensorHandle_t input, const diopiScalar_t* other) {
  return Mul(__func__, input, input, other);
}
