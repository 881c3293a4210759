// out = input + alpha * other
#include "baselines/ops/elementwise/arithmetic_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct AddScaled {
  C scale;
  DIOPI_HD C operator()(C x, C y) const { return WrapAdd(x, scale == C(1) ? y : WrapMul(scale, y)); }
};

diopiError_t Add(const char* function, diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a,
                 const Operand& b, const diopiScalar_t* alpha) {
  return Guard(function, [&] {
    const Tensor result(out);
    const diopiDtype_t dtype = ResultType(result, a, b);
    CheckStorable(dtype, result);
    CheckAlpha(alpha, dtype);
    DispatchAny(dtype, [&]<typename C>() {
      C scale = ScalarAs<C>(alpha);
      if (IsBool(dtype) && scale != C(0)) scale = C(1);  // a truth value, not a number
      MapOperands<C>(ctx, result, AddScaled<C>{scale}, a, b);
    });
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Add;

diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return Add(__func__, ctx, out, input, other, alpha);
}
diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return Add(__func__, ctx, input, input, other, alpha);
}
diopiError_t diopiAddScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return Add(__func__, ctx, out, input, other, alpha);
}
diopiError_t diopiAddInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                               const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return Add(__func__, ctx, input, input, other, alpha);
}
