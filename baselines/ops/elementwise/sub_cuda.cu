// out = input - alpha * other
#include "baselines/ops/elementwise/arithmetic_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct SubScaled {
  C scale;
  DIOPI_HD C operator()(C x, C y) const { return WrapSub(x, scale == C(1) ? y : WrapMul(scale, y)); }
};

diopiError_t Sub(const char* function, diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a,
                 const Operand& b, const diopiScalar_t* alpha) {
  return Guard(function, [&] {
    const Tensor result(out);
    const diopiDtype_t dtype = ResultType(result, a, b);
    CheckNoTruth(a);
    CheckNoTruth(b);
    CheckStorable(dtype, result);
    CheckAlpha(alpha, dtype);
    DispatchNumeric(
        dtype, [&]<typename C>() { MapOperands<C>(ctx, result, SubScaled<C>{ScalarAs<C>(alpha)}, a, b); });
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Sub;

diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return Sub(__func__, ctx, out, input, other, alpha);
}
diopiError_t diopiSubInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, diopiConstTensorHandle_t other,
                         const diopiScalar_t* alpha) {
  return Sub(__func__, ctx, input, input, other, alpha);
}
diopiError_t diopiSubScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return Sub(__func__, ctx, out, input, other, alpha);
}
diopiError_t diopiSubInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                               const diopiScalar_t* other, const diopiScalar_t* alpha) {
  return Sub(__func__, ctx, input, input, other, alpha);
}
