// out = input ^ exponent; integers by repeated multiplication modulo their width.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops {
namespace {

void Pow(diopiTensorHandle_t out, const Operand& base, const Operand& exponent) {
  const Tensor result(out);
  const diopiDtype_t dtype = ResultType(result, base, exponent);
  CheckStorable(dtype, result);
  CheckExponent(exponent, dtype);
  DispatchNumeric(dtype, [&]<typename C>() { MapOperands<C>(result, base, exponent, Power<C>); });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Pow;

DIOPI_KERNEL(diopiPow, a) {
  Pow(a.out, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowInp, a) {
  Pow(a.input, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowScalar, a) {
  Pow(a.out, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowTensor, a) {
  Pow(a.out, a.input, a.exponent);
}
DIOPI_KERNEL(diopiPowInpTensor, a) {
  Pow(a.input, a.input, a.exponent);
}
