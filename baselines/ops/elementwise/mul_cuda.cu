// out = input * other; the product of two bool tensors is their conjunction.
#include "baselines/ops/elementwise/arithmetic_cuda.h"

namespace diopi::ops::cuda {
namespace {

struct Product {
  template <typename C>
  DIOPI_HD C operator()(C x, C y) const {
    return WrapMul(x, y);
  }
};

diopiError_t Mul(const char* function, diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a,
                 const Operand& b) {
  return Guard(function, [&] {
    const Tensor result(out);
    const diopiDtype_t dtype = ResultType(result, a, b);
    CheckStorable(dtype, result);
    DispatchAny(dtype, [&]<typename C>() { MapOperands<C>(ctx, result, Product(), a, b); });
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Mul;

diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  return Mul(__func__, ctx, out, input, other);
}
diopiError_t diopiMulInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                         diopiConstTensorHandle_t other) {
  return Mul(__func__, ctx, input, input, other);
}
diopiError_t diopiMulScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            const diopiScalar_t* other) {
  return Mul(__func__, ctx, out, input, other);
}
diopiError_t diopiMulInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                               const diopiScalar_t* other) {
  return Mul(__func__, ctx, input, input, other);
}
