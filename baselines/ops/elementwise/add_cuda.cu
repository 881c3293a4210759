// out = input + alpha * other
#include "baselines/ops/elementwise/arithmetic_cuda.h"

namespace diopi::ops::cuda {
namespace {

template <typename C>
struct AddScaled {
  C scale;
  DIOPI_HD C operator()(C x, C y) const { return WrapAdd(x, scale == C(1) ? y : WrapMul(scale, y)); }
};

void Add(diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& a, const Operand& b,
         const diopiScalar_t* alpha) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, a, b);
  CheckStorable(dtype, result);
  CheckAlpha(alpha, dtype);
  DispatchAny(dtype, [&]<typename C>() {
    C scale = ScalarAs<C>(alpha);
    if (IsBool(dtype) && scale != C(0)) scale = C(1);  // a truth value, not a number
    MapOperands<C>(ctx, result, AddScaled<C>{scale}, a, b);
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Add;

DIOPI_KERNEL(diopiAdd, a) {
  Add(a.ctx, a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiAddInp, a) {
  Add(a.ctx, a.input, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiAddScalar, a) {
  Add(a.ctx, a.out, a.input, a.other, a.alpha);
}
DIOPI_KERNEL(diopiAddInpScalar, a) {
  Add(a.ctx, a.input, a.input, a.other, a.alpha);
}
