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

diopiError_t Pow(const char* function, diopiContextHandle_t ctx, diopiTensorHandle_t out, const Operand& base,
                 const Operand& exponent) {
  return Guard(function, [&] {
    const Tensor result(out);
    const diopiDtype_t dtype = ResultType(result, base, exponent);
    CheckStorable(dtype, result);
    CheckExponent(exponent, dtype);
    DispatchNumeric(dtype, [&]<typename C>() { MapOperands<C>(ctx, result, PowerOf(), base, exponent); });
  });
}

}  // namespace
}  // namespace diopi::ops::cuda

using diopi::ops::cuda::Pow;

diopiError_t diopiPow(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      const diopiScalar_t* exponent) {
  return Pow(__func__, ctx, out, input, exponent);
}
diopiError_t diopiPowInp(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* exponent) {
  return Pow(__func__, ctx, input, input, exponent);
}
diopiError_t diopiPowScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out, const diopiScalar_t* input,
                            diopiConstTensorHandle_t exponent) {
  return Pow(__func__, ctx, out, input, exponent);
}
diopiError_t diopiPowTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                            diopiConstTensorHandle_t exponent) {
  return Pow(__func__, ctx, out, input, exponent);
}
diopiError_t diopiPowInpTensor(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                               diopiConstTensorHandle_t exponent) {
  return Pow(__func__, ctx, input, input, exponent);
}
