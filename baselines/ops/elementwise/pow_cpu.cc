// out = input ^ exponent; integers by repeated multiplication modulo their width.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/elementwise/formulas.h"

namespace diopi::ops {
namespace {

diopiError_t Pow(const char* function, diopiTensorHandle_t out, const Operand& base,
                 const Operand& exponent) {
  return Guard(function, [&] {
    const Tensor result(out);
    const diopiDtype_t dtype = ResultType(result, base, exponent);
    CheckStorable(dtype, result);
    CheckExponent(exponent, dtype);
    DispatchNumeric(dtype, [&]<typename C>() { MapOperands<C>(result, base, exponent, Power<C>); });
  });
}

}  // namespace
}  // namespace diopi::ops

using diopi::ops::Pow;

diopiError_t diopiPow(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      const diopiScalar_t* exponent) {
  return Pow(__func__, out, input, exponent);
}
diopiError_t diopiPowInp(diopiContextHandle_t, diopiTensorHandle_t input, const diopiScalar_t* exponent) {
  return Pow(__func__, input, input, exponent);
}
diopiError_t diopiPowScalar(diopiContextHandle_t, diopiTensorHandle_t out, const diopiScalar_t* input,
                            diopiConstTensorHandle_t exponent) {
  return Pow(__func__, out, input, exponent);
}
diopiError_t diopiPowTensor(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t exponent) {
  return Pow(__func__, out, input, exponent);
}
diopiError_t diopiPowInpTensor(diopiContextHandle_t, diopiTensorHandle_t input,
                               diopiConstTensorHandle_t exponent) {
  return Pow(__func__, input, input, exponent);
}
