// out = input - alpha * other
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

diopiError_t Sub(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
                 const diopiScalar_t* alpha) {
  return Guard(function, [&] {
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
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Sub;

diopiError_t diopiSub(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return Sub(__func__, out, input, other, alpha);
}
diopiError_t diopiSubInp(diopiContextHandle_t, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return Sub(__func__, input, input, other, alpha);
}
diopiError_t diopiSubScalar(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return Sub(__func__, out, input, other, alpha);
}
diopiError_t diopiSubInpScalar(diopiContextHandle_t, diopiTensorHandle_t input, const diopiScalar_t* other,
                               const diopiScalar_t* alpha) {
  return Sub(__func__, input, input, other, alpha);
}
