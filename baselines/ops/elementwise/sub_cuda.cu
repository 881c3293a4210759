// out = input - alpha * other
#include "baselines/ops/elementwise/arithmetic_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct SubScaled {
  C scale;
  DIOPI_HD C operator()(C x, C y) const { return WrapSub(x, scale == C(1) ? y : WrapMul(scale, y)); }
};

void Sub(diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a, const Operand& b,
         const diopiScalar_t* alpha) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, a, b);
  CheckNoTruth(a);
  CheckNoTruth(b);
  CheckStorable(dtype, result);
  CheckAlpha(alpha, dtype);
  DispatchNumeric(dtype,
                  [&]<typename C>() { MapOperands<C>(ctx, result, SubScaled<C>{ScalarAs<C>(alpha)}, a, b); });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Sub;

DIOPI_KERNEL(diopiSub, a) {
  Sub(a.ctx, a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiSubInp, a) {
  Sub(a.ctx, a.input, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiSubScalar, a) {
  Sub(a.ctx, a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiSubInpScalar, a) {
  Sub(a.ctx, a.input, a.input, a.other, a.alpha);
}
