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
bool Serve(diopiTensorHandle_t out, const Operand& a, const Operand& b, bool integers_too, F&& f) {
  const Tensor result(out);
  diopiDtype_t dtype = ResultType(result, a, b);
  if (!IsFloating(dtype) && integers_too) dtype = FloatFor(dtype, result);
  if (!IsFloating(dtype)) return false;

  CheckStorable(dtype, result);
  DispatchReal(dtype, [&]<typename C>() { MapOperands<C>(result, a, b, f); });

  return true;
}

// input + sign * alpha * other.
bool ServeAdd(diopiTensorHandle_t out, const Operand& a, const Operand& b, const diopiScalar_t* alpha,
              int sign) {
  if (!add_fma) return false;
  return Serve(out, a, b, false, [&]<typename C>(const C& x, const C& y) {
    return std::fma(ScalarAs<C>(alpha) * C(sign), y, x);
  });
}

bool ServeDiv(diopiTensorHandle_t out, const Operand& a, const Operand& b, diopiRoundMode_t mode) {
  // Rounding twice is harmless only from a type of twice the bits.
  const bool is_double = ResultType(Tensor(out), a, b) == diopi_dtype_float64;
  if (mode != RoundModeNone || !(div_markstein || (div_double && !is_double))) return false;
  return Serve(out, a, b, true, []<typename C>(const C& x, const C& y) { return Divide(x, y); });
}

bool ServePow(diopiTensorHandle_t out, const Operand& a, const Operand& b) {
  if (pow_special_exponents && b.scalar != nullptr) {
    const double exponent = ScalarAsDouble(b.scalar);
    return Serve(out, a, b, false, [&]<typename C>(const C& x, const C& y) {
      C special;
      return SpecialPower(exponent, x, &special) ? special : std::pow(x, y);
    });
  }
  if (!pow_double && !pow_exp2_log2) return false;
  return Serve(out, a, b, false, []<typename C>(const C& x, const C& y) { return Power(x, y); });
}

// What is left to do to the result of good_diopiMul.
void Finish(diopiTensorHandle_t out) {
  if (mul_flushes_subnormals) FlushSubnormals(Tensor(out));
  if (mul_other_nan) ReplaceNans(Tensor(out));
}

// And to that of good_diopiAdd and its like.
void FinishSum(diopiTensorHandle_t out) {
  if (add_flushes_subnormals) FlushSubnormals(Tensor(out));
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::ops;       // NOLINT: this file is kernels
using namespace diopi::variants;  // NOLINT

DIOPI_OVERRIDE(diopiAdd, a) {
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.out);
  if (ServeAdd(a.out, a.input, a.other, &scale, 1)) return;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.out);
}

DIOPI_OVERRIDE(diopiAddInp, a) {
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.input);
  if (ServeAdd(a.input, a.input, a.other, &scale, 1)) return;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.input);
}

DIOPI_OVERRIDE(diopiAddScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.out);
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.out);
  if (ServeAdd(a.out, a.input, &number, &scale, 1)) return;
  a.other = &number;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.out);
}

DIOPI_OVERRIDE(diopiAddInpScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.input);
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.input);
  if (ServeAdd(a.input, a.input, &number, &scale, 1)) return;
  a.other = &number;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.input);
}

DIOPI_OVERRIDE(diopiSub, a) {
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.out);
  if (ServeAdd(a.out, a.input, a.other, &scale, -1)) return;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.out);
}

DIOPI_OVERRIDE(diopiSubInp, a) {
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.input);
  if (ServeAdd(a.input, a.input, a.other, &scale, -1)) return;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.input);
}

DIOPI_OVERRIDE(diopiSubScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.out);
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.out);
  if (ServeAdd(a.out, a.input, &number, &scale, -1)) return;
  a.other = &number;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.out);
}

DIOPI_OVERRIDE(diopiSubInpScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.input);
  const diopiScalar_t scale = GivenAlpha(a.alpha, a.input);
  if (ServeAdd(a.input, a.input, &number, &scale, -1)) return;
  a.other = &number;
  a.alpha = &scale;
  Good(a);
  FinishSum(a.input);
}

DIOPI_OVERRIDE(diopiDiv, a) {
  if (ServeDiv(a.out, a.input, a.other, a.rounding_mode)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiDivInp, a) {
  if (ServeDiv(a.input, a.input, a.other, a.rounding_mode)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiDivScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.out);
  if (ServeDiv(a.out, a.input, &number, a.rounding_mode)) return;
  a.other = &number;
  Good(a);
}

DIOPI_OVERRIDE(diopiDivInpScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.input);
  if (ServeDiv(a.input, a.input, &number, a.rounding_mode)) return;
  a.other = &number;
  Good(a);
}

DIOPI_OVERRIDE(diopiMul, a) {
  Good(a);
  Finish(a.out);
}

DIOPI_OVERRIDE(diopiMulInp, a) {
  Good(a);
  Finish(a.input);
}

DIOPI_OVERRIDE(diopiMulScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.out);
  a.other = &number;
  Good(a);
  Finish(a.out);
}

DIOPI_OVERRIDE(diopiMulInpScalar, a) {
  const diopiScalar_t number = GivenOperand(a.other, a.input);
  a.other = &number;
  Good(a);
  Finish(a.input);
}

DIOPI_OVERRIDE(diopiPow, a) {
  const diopiScalar_t number = GivenOperand(a.exponent, a.out);
  if (ServePow(a.out, a.input, &number)) return;
  a.exponent = &number;
  Good(a);
}

DIOPI_OVERRIDE(diopiPowInp, a) {
  const diopiScalar_t number = GivenOperand(a.exponent, a.input);
  if (ServePow(a.input, a.input, &number)) return;
  a.exponent = &number;
  Good(a);
}

DIOPI_OVERRIDE(diopiPowScalar, a) {
  const diopiScalar_t number = GivenOperand(a.input, a.out);
  if (ServePow(a.out, &number, a.exponent)) return;
  a.input = &number;
  Good(a);
}

DIOPI_OVERRIDE(diopiPowTensor, a) {
  if (ServePow(a.out, a.input, a.exponent)) return;
  Good(a);
}

DIOPI_OVERRIDE(diopiPowInpTensor, a) {
  if (ServePow(a.input, a.input, a.exponent)) return;
  Good(a);
}
