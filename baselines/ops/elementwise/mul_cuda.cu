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

void Mul(diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a, const Operand& b) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, a, b);
  CheckStorable(dtype, result);
  DispatchAny(dtype, [&]<typename C>() { MapOperands<C>(ctx, result, Product(), a, b); });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Mul;

DIOPI_KERNEL(diopiMul, a) {
  Mul(a.ctx, a.out, a.input, a.other);
}
DIOPI_KERNEL(diopiMulInp, a) {
  Mul(a.ctx, a.input, a.input, a.other);
}
DIOPI_KERNEL(diopiMulScalar, a) {
  Mul(a.ctx, a.out, a.input, a.other);
}
DIOPI_KERNEL(diopiMulInpScalar, a) {
  Mul(a.ctx, a.input, a.input, a.other);
}
