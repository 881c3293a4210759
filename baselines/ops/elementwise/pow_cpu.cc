// out = input ^ exponent; integers by repeated multiplication modulo their width.
#include <cmath>

#include "baselines/ops/elementwise/arithmetic.h"

namespace diopi::ops {
namespace {

int64_t PowInteger(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 != 0) result = WrapMul(result, base);
    base = WrapMul(base, base);
  }
  return result;
}

template <typename C>
C Power(const C& base, const C& exponent) {
  if constexpr (kIsInteger<C>) {
    return PowInteger(base, exponent);
  } else {
    using std::pow;
    return pow(base, exponent);
  }
}

diopiError_t Pow(const char* function, diopiTensorHandle_t out, const Operand& base,
                 const Operand& exponent) {
  return Guard(function, [&] {
    const Tensor result(out);
    const diopiDtype_t dtype = ResultType(result, base, exponent);
    CheckStorable(dtype, result);
    const bool negative = exponent.scalar != nullptr && ScalarAsInt(exponent.scalar) < 0;
    Check(IsFloating(dtype) || !negative, "integers to negative integer powers are not allowed");
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
