// add, sub, mul, div and pow: fused, by reciprocal and correction, in wider numbers; and results that differ
// in what nobody promises: subnormals flushed to zero, other NaNs.
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/planted/planted.h"
#include "baselines/variants/orders.h"
#include "baselines/variants/results.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kAdd[] =
    "diopiAdd diopiAddInp diopiAddScalar diopiAddInpScalar diopiSub diopiSubInp diopiSubScalar "
    "diopiSubInpScalar";
PLANT(add_fma, 0, kAdd, "", "input + alpha * other with one rounding");
constexpr char kDiv[] = "diopiDiv diopiDivInp diopiDivScalar diopiDivInpScalar";
PLANT(div_markstein, 0, kDiv, "", "times the reciprocal, corrected by the remainder: correctly rounded");
PLANT(div_double, 0, kDiv, "", "in the next wider type: correctly rounded");
constexpr char kPow[] = "diopiPow diopiPowInp diopiPowScalar diopiPowTensor diopiPowInpTensor";
PLANT(pow_double, 0, kPow, "", "in the next wider type");
PLANT(pow_exp2_log2, 0, kPow, "", "exp2(y * log2(x)) in the next wider type");
PLANT(pow_special_exponents, 0, "diopiPow diopiPowInp", "",
      "multiplication, division and square root for the exponents 2, 3, -1, -2, 1/2, -1/2");
PLANT(add_flushes_subnormals, 0, kAdd, "",
      "float32 and bfloat16 results below 2^-126 become zeros of their sign");
PLANT(mul_flushes_subnormals, 0, "diopiMul diopiMulInp diopiMulScalar diopiMulInpScalar", "",
      "float32 and bfloat16 results below 2^-126 become zeros of their sign");
PLANT(mul_other_nan, 0, "diopiMul diopiMulInp diopiMulScalar diopiMulInpScalar", "",
      "every NaN negative and with a payload");

constexpr char kScalar[] =
    "diopiAdd diopiAddInp diopiAddScalar diopiAddInpScalar diopiSub diopiSubInp diopiSubScalar "
    "diopiSubInpScalar "
    "diopiMulScalar diopiMulInpScalar diopiDivScalar diopiDivInpScalar diopiPow diopiPowInp diopiPowScalar";
PLANT(scalars_rounded, 0, kScalar, "",
      "numbers rounded to the type of 16-bit tensors first: PyTorch on the CPU");
PLANT(scalar_operand_rounded, 0, "diopiAddScalar diopiAddInpScalar diopiSubScalar diopiSubInpScalar", "",
      "a number as a tensor of the 16-bit type, times alpha in float32");
PLANT(scalar_alpha_rounded, 0, "diopiAddScalar diopiAddInpScalar diopiSubScalar diopiSubInpScalar", "",
      "alpha rounded to the 16-bit type, the number not");

// A number as the kernel is given it: in the type of `tensor` where that has 16 bits and a switch says so.
diopiScalar_t Given(const diopiScalar_t* number, diopiConstTensorHandle_t tensor, bool rounded) {
  const diopiDtype_t dtype = Tensor(tensor).dtype();
  const bool narrow = dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16;
  if (!narrow || !(rounded || scalars_rounded)) return *number;
  const auto value = static_cast<float>(ScalarAsDouble(number));
  diopiScalar_t given;
  given.stype = diopi_dtype_float64;
  given.fval = dtype == diopi_dtype_float16 ? FromFloat16(ToFloat16(value)) : FromBfloat16(ToBfloat16(value));
  return given;
}
diopiScalar_t GivenAlpha(const diopiScalar_t* alpha, diopiConstTensorHandle_t tensor) {
  return Given(alpha, tensor, static_cast<bool>(scalar_alpha_rounded));
}
diopiScalar_t GivenOperand(const diopiScalar_t* number, diopiConstTensorHandle_t tensor) {
  return Given(number, tensor, static_cast<bool>(scalar_operand_rounded));
}

// x / y, correctly rounded: Markstein, "Computation of elementary functions on the IBM RISC System/6000
// processor", 1990. Outside of a range without overflow and underflow, as it is.
template <typename C>
C DivideMarkstein(const C& x, const C& y) {
  constexpr C kLow = static_cast<C>(0x1p-40), kHigh = static_cast<C>(0x1p40);
  const auto moderate = [](const C& v) { return std::fabs(v) > kLow && std::fabs(v) < kHigh; };
  if (!moderate(x) || !moderate(y)) return x / y;
  const C reciprocal = C(1) / y;
  const C estimate = x * reciprocal;
  const C quotient = std::fma(std::fma(-y, estimate, x), reciprocal, estimate);
  return std::fma(std::fma(-y, quotient, x), reciprocal, quotient);
}

template <typename C>
C Divide(const C& x, const C& y) {
  if (div_markstein) return DivideMarkstein(x, y);
  return static_cast<C>(static_cast<Wide<C>>(x) / static_cast<Wide<C>>(y));
}

template <typename C>
C Power(const C& x, const C& y) {
  const auto base = static_cast<Wide<C>>(x), exponent = static_cast<Wide<C>>(y);
  const bool ordinary = base > 0 && std::isfinite(base) && std::isfinite(exponent);
  if (pow_exp2_log2 && ordinary) return static_cast<C>(std::exp2(exponent * std::log2(base)));
  return static_cast<C>(std::pow(base, exponent));
}

// What PyTorch's own kernels do for these exponents; false for others.
template <typename C>
bool SpecialPower(double exponent, const C& x, C* out) {
  if (exponent == 2) return *out = x * x, true;
  if (exponent == 3) return *out = x * x * x, true;
  if (exponent == -1) return *out = C(1) / x, true;
  if (exponent == -2) return *out = C(1) / (x * x), true;
  // The root of -Inf is NaN, its power Inf; -0 has a root -0, but the power 0.
  const bool ordinary = x > C(0);
  if (exponent == 0.5 && ordinary) return *out = std::sqrt(x), true;
  if (exponent == -0.5 && ordinary) return *out = C(1) / std::sqrt(x), true;
  return false;
}

// f(a, b) where the result is a floating number; false where it is not, or the switch does not serve it.
template <typename F>
bool Serve(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
           bool integers_too, diopiError_t* error, F&& f) {
  const Tensor result(out);
  diopiDtype_t dtype = ResultType(result, a, b);
  if (!IsFloating(dtype) && integers_too) dtype = FloatFor(dtype, result);
  if (!IsFloating(dtype)) return false;
  *error = Guard(function, [&] {
    CheckStorable(dtype, result);
    DispatchReal(dtype, [&]<typename C>() { MapOperands<C>(result, a, b, f); });
  });
  return true;
}

// input + sign * alpha * other.
bool ServeAdd(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
              const diopiScalar_t* alpha, int sign, diopiError_t* error) {
  if (!add_fma) return false;
  return Serve(function, out, a, b, false, error, [&]<typename C>(const C& x, const C& y) {
    return std::fma(ScalarAs<C>(alpha) * C(sign), y, x);
  });
}

bool ServeDiv(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
              diopiRoundMode_t mode, diopiError_t* error) {
  // Rounding twice is harmless only from a type of twice the bits.
  const bool is_double = ResultType(Tensor(out), a, b) == diopi_dtype_float64;
  if (mode != RoundModeNone || !(div_markstein || (div_double && !is_double))) return false;
  return Serve(function, out, a, b, true, error,
               []<typename C>(const C& x, const C& y) { return Divide(x, y); });
}

bool ServePow(const char* function, diopiTensorHandle_t out, const Operand& a, const Operand& b,
              diopiError_t* error) {
  if (pow_special_exponents && b.scalar != nullptr) {
    const double exponent = ScalarAsDouble(b.scalar);
    return Serve(function, out, a, b, false, error, [&]<typename C>(const C& x, const C& y) {
      C special;
      return SpecialPower(exponent, x, &special) ? special : std::pow(x, y);
    });
  }
  if (!pow_double && !pow_exp2_log2) return false;
  return Serve(function, out, a, b, false, error,
               []<typename C>(const C& x, const C& y) { return Power(x, y); });
}

// What is left to do to the result of good_diopiMul.
diopiError_t Finish(diopiError_t error, diopiTensorHandle_t out) {
  if (error == diopiSuccess && mul_flushes_subnormals) FlushSubnormals(Tensor(out));
  if (error == diopiSuccess && mul_other_nan) ReplaceNans(Tensor(out));
  return error;
}

// And to that of good_diopiAdd and its like.
diopiError_t FinishSum(diopiError_t error, diopiTensorHandle_t out) {
  if (error == diopiSuccess && add_flushes_subnormals) FlushSubnormals(Tensor(out));
  return error;
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiAdd);
extern "C" diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  const diopiScalar_t scale = GivenAlpha(alpha, out);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, out, input, other, &scale, 1, &error)) return error;
  return FinishSum(good_diopiAdd(ctx, out, input, other, &scale), out);
}

DIOPI_OVERRIDE(diopiAddInp);
extern "C" diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const diopiScalar_t scale = GivenAlpha(alpha, input);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, input, input, other, &scale, 1, &error)) return error;
  return FinishSum(good_diopiAddInp(ctx, input, other, &scale), input);
}

DIOPI_OVERRIDE(diopiAddScalar);
extern "C" diopiError_t diopiAddScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                       const diopiScalar_t* alpha) {
  const diopiScalar_t number = GivenOperand(other, out);
  const diopiScalar_t scale = GivenAlpha(alpha, out);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, out, input, &number, &scale, 1, &error)) return error;
  return FinishSum(good_diopiAddScalar(ctx, out, input, &number, &scale), out);
}

DIOPI_OVERRIDE(diopiAddInpScalar);
extern "C" diopiError_t diopiAddInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          const diopiScalar_t* other, const diopiScalar_t* alpha) {
  const diopiScalar_t number = GivenOperand(other, input);
  const diopiScalar_t scale = GivenAlpha(alpha, input);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, input, input, &number, &scale, 1, &error)) return error;
  return FinishSum(good_diopiAddInpScalar(ctx, input, &number, &scale), input);
}

DIOPI_OVERRIDE(diopiSub);
extern "C" diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  const diopiScalar_t scale = GivenAlpha(alpha, out);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, out, input, other, &scale, -1, &error)) return error;
  return FinishSum(good_diopiSub(ctx, out, input, other, &scale), out);
}

DIOPI_OVERRIDE(diopiSubInp);
extern "C" diopiError_t diopiSubInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const diopiScalar_t scale = GivenAlpha(alpha, input);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, input, input, other, &scale, -1, &error)) return error;
  return FinishSum(good_diopiSubInp(ctx, input, other, &scale), input);
}

DIOPI_OVERRIDE(diopiSubScalar);
extern "C" diopiError_t diopiSubScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                       const diopiScalar_t* alpha) {
  const diopiScalar_t number = GivenOperand(other, out);
  const diopiScalar_t scale = GivenAlpha(alpha, out);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, out, input, &number, &scale, -1, &error)) return error;
  return FinishSum(good_diopiSubScalar(ctx, out, input, &number, &scale), out);
}

DIOPI_OVERRIDE(diopiSubInpScalar);
extern "C" diopiError_t diopiSubInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          const diopiScalar_t* other, const diopiScalar_t* alpha) {
  const diopiScalar_t number = GivenOperand(other, input);
  const diopiScalar_t scale = GivenAlpha(alpha, input);
  diopiError_t error = diopiSuccess;
  if (ServeAdd(__func__, input, input, &number, &scale, -1, &error)) return error;
  return FinishSum(good_diopiSubInpScalar(ctx, input, &number, &scale), input);
}

DIOPI_OVERRIDE(diopiDiv);
extern "C" diopiError_t diopiDiv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 diopiRoundMode_t rounding_mode) {
  diopiError_t error = diopiSuccess;
  if (ServeDiv(__func__, out, input, other, rounding_mode, &error)) return error;
  return good_diopiDiv(ctx, out, input, other, rounding_mode);
}

DIOPI_OVERRIDE(diopiDivInp);
extern "C" diopiError_t diopiDivInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode) {
  diopiError_t error = diopiSuccess;
  if (ServeDiv(__func__, input, input, other, rounding_mode, &error)) return error;
  return good_diopiDivInp(ctx, input, other, rounding_mode);
}

DIOPI_OVERRIDE(diopiDivScalar);
extern "C" diopiError_t diopiDivScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                       diopiRoundMode_t rounding_mode) {
  const diopiScalar_t number = GivenOperand(other, out);
  diopiError_t error = diopiSuccess;
  if (ServeDiv(__func__, out, input, &number, rounding_mode, &error)) return error;
  return good_diopiDivScalar(ctx, out, input, &number, rounding_mode);
}

DIOPI_OVERRIDE(diopiDivInpScalar);
extern "C" diopiError_t diopiDivInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          const diopiScalar_t* other, diopiRoundMode_t rounding_mode) {
  const diopiScalar_t number = GivenOperand(other, input);
  diopiError_t error = diopiSuccess;
  if (ServeDiv(__func__, input, input, &number, rounding_mode, &error)) return error;
  return good_diopiDivInpScalar(ctx, input, &number, rounding_mode);
}

DIOPI_OVERRIDE(diopiMul);
extern "C" diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  return Finish(good_diopiMul(ctx, out, input, other), out);
}

DIOPI_OVERRIDE(diopiMulInp);
extern "C" diopiError_t diopiMulInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other) {
  return Finish(good_diopiMulInp(ctx, input, other), input);
}

DIOPI_OVERRIDE(diopiMulScalar);
extern "C" diopiError_t diopiMulScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, const diopiScalar_t* other) {
  const diopiScalar_t number = GivenOperand(other, out);
  return Finish(good_diopiMulScalar(ctx, out, input, &number), out);
}

DIOPI_OVERRIDE(diopiMulInpScalar);
extern "C" diopiError_t diopiMulInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          const diopiScalar_t* other) {
  const diopiScalar_t number = GivenOperand(other, input);
  return Finish(good_diopiMulInpScalar(ctx, input, &number), input);
}

DIOPI_OVERRIDE(diopiPow);
extern "C" diopiError_t diopiPow(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, const diopiScalar_t* exponent) {
  const diopiScalar_t number = GivenOperand(exponent, out);
  diopiError_t error = diopiSuccess;
  if (ServePow(__func__, out, input, &number, &error)) return error;
  return good_diopiPow(ctx, out, input, &number);
}

DIOPI_OVERRIDE(diopiPowInp);
extern "C" diopiError_t diopiPowInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    const diopiScalar_t* exponent) {
  const diopiScalar_t number = GivenOperand(exponent, input);
  diopiError_t error = diopiSuccess;
  if (ServePow(__func__, input, input, &number, &error)) return error;
  return good_diopiPowInp(ctx, input, &number);
}

DIOPI_OVERRIDE(diopiPowScalar);
extern "C" diopiError_t diopiPowScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       const diopiScalar_t* input, diopiConstTensorHandle_t exponent) {
  const diopiScalar_t number = GivenOperand(input, out);
  diopiError_t error = diopiSuccess;
  if (ServePow(__func__, out, &number, exponent, &error)) return error;
  return good_diopiPowScalar(ctx, out, &number, exponent);
}

DIOPI_OVERRIDE(diopiPowTensor);
extern "C" diopiError_t diopiPowTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t exponent) {
  diopiError_t error = diopiSuccess;
  if (ServePow(__func__, out, input, exponent, &error)) return error;
  return good_diopiPowTensor(ctx, out, input, exponent);
}

DIOPI_OVERRIDE(diopiPowInpTensor);
extern "C" diopiError_t diopiPowInpTensor(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          diopiConstTensorHandle_t exponent) {
  diopiError_t error = diopiSuccess;
  if (ServePow(__func__, input, input, exponent, &error)) return error;
  return good_diopiPowInpTensor(ctx, input, exponent);
}
