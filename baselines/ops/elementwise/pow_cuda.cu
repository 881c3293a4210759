// out = input ^ exponent; integers by repeated multiplication modulo their width.
#include "baselines/ops/elementwise/arithmetic_cuda.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops::cuda {
namespace {

struct PowerOf {
  template <typename C>
  DIOPI_HD C operator()(C base, C exponent) const {
    return Power(base, exponent);
  }
};

void Pow(diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& base, const Operand& exponent) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, base, exponent);
  CheckStorable(dtype, result);
  CheckExponent(exponent, dtype);
  DispatchNumeric(dtype, [&]<typename C>() { MapOperands<C>(ctx, result, PowerOf(), base, exponent); });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Pow;

DIOPI_KERNEL(diopiPow, a) {
  Pow(a.ctx, a.out, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowInp, a) {
  Pow(a.ctx, a.input, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowScalar, a) {
  Pow(a.ctx, a.out, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowTensor, a) {
  Pow(a.ctx, a.out, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowInpTensor, a) {
  Pow(a.ctx, a.input, a.input, a.exponent);
}
