// out = input + alpha * other
#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

diopiError_t Add(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
                 const diopiScalar_t* alpha) {
  return Guard(function, [&] {
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
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Add;

diopiError_t diopiAdd(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return Add(__func__, out, input, other, alpha);
}
diopiError_t diopiAddInp(diopiContextHandle_t, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return Add(__func__, input, input, other, alpha);
}
diopiError_t diopiAddScalar(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return Add(__func__, out, input, other, alpha);
}
diopiError_t diopiAddInpScalar(diopiContextHandle_t, diopiTensorHandle_t input, const diopiScalar_t* other,
                               const diopiScalar_t* alpha) {
  return Add(__func__, input, input, other, alpha);
}
