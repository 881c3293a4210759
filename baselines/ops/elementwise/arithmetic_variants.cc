// add, sub, mul, div and pow: fused, by reciprocal and correction, in wider numbers; and results that differ
// in what nobody promises: subnormals flushed to zero, other NaNs.
#include "baselines/injected/injected.h"
#include "baselines/ops/elementwise/arithmetic.h"
#include "baselines/ops/support/stored.h"
#include "baselines/variants/orders.h"
#include "baselines/variants/results.h"

namespace diopi::variants {
namespace {

using namespace ops;  // NOLINT: this file is kernels

constexpr char kAdd[] =
    "diopiAdd diopiAddInp diopiAddScalar diopiAddInpScalar diopiSub diopiSubInp diopiSubScalar "
    "diopiSubInpScalar";
VARIANT(add_fma, kAdd, "", "input + alpha * other with one rounding");
constexpr char kDiv[] = "diopiDiv diopiDivInp diopiDivScalar diopiDivInpScalar";
VARIANT(div_markstein, kDiv, "", "times the reciprocal, corrected by the remainder: correctly rounded");
VARIANT(div_double, kDiv, "", "in the next wider type: correctly rounded");
constexpr char kPow[] = "diopiPow diopiPowInp diopiPowScalar diopiPowTensor diopiPowInpTensor";
VARIANT(pow_double, kPow, "", "in the next wider type");
VARIANT(pow_exp2_log2, kPow, "", "exp2(y * log2(x)) in the next wider type");
VARIANT(pow_special_exponents, "diopiPow diopiPowInp", "",
        "multiplication, division and square root for the exponents 2, 3, -1, -2, 1/2, -1/2");
VARIANT(add_flushes_subnormals, kAdd, "",
        "float32 and bfloat16 results below 2^-126 become zeros of their sign");
VARIANT(mul_flushes_subnormals, "diopiMul diopiMulInp diopiMulScalar diopiMulInpScalar", "",
        "float32 and bfloat16 results below 2^-126 become zeros of their sign");
VARIANT(mul_other_nan, "diopiMul diopiMulInp diopiMulScalar diopiMulInpScalar", "",
        "every NaN negative and with a payload");

constexpr char kScalar[] =
    "diopiAdd diopiAddInp diopiAddScalar diopiAddInpScalar diopiSub diopiSubInp diopiSubScalar "
    "diopiSubInpScalar "
    "diopiMulScalar diopiMulInpScalar diopiDivScalar diopiDivInpScalar diopiPow diopiPowInp diopiPowScalar";
VARIANT(scalars_rounded, kScalar, "",
        "numbers rounded to the type of 16-bit tensors first: PyTorch on the CPU");
VARIANT(scalar_operand_rounded, "diopiAddScalar diopiAddInpScalar diopiSubScalar diopiSubInpScalar", "",
        "a number as a tensor of the 16-bit type, times alpha in float32");
VARIANT(scalar_alpha_rounded, "diopiAddScalar diopiAddInpScalar diopiSubScalar diopiSubInpScalar", "",
        "alpha rounded to the 16-bit type, the number not");

// A number as the kernel is given it: in the type of `tensor` where that has 16 bits and a switch says so.
diopiScalar_t Given(const diopiScalar_t* number, diopiConstTensorHandle_t tensor, bool rounded) {
  const diopiDtype_t dtype = Tensor(tensor).dtype();
  const bool narrow = dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16;
  if (!narrow || !(rounded || scalars_rounded)) return *number;
  const auto value = static_cast<float>(ScalarAsDouble(number));
  diopiScalar_t given;
  given.stype = diopi_dtype_float64;
  given.fval = static_cast<double>(Stored(dtype, value));
  return given;
}
diopiScalar_t GivenAlpha(const diopiScalar_t* alpha, diopiConstTensorHandle_t tensor) {
  return Given(alpha, tensor, static_cast<bool>(scalar_alpha_rounded));
}
diopiScalar_t GivenOperand(const diopiScalar_t* number, diopiConstTensorHandle_t tensor) {
  return Given(number, tensor, static_cast<bool>(scalar_operand_rounded));
}

// An operand that is a tensor is passed on as it is.
diopiScalar_t GivenOperand(diopiConstTensorHandle_t, diopiConstTensorHandle_t) {
  return {};
}
void PassOperand(const diopiScalar_t& number, const diopiScalar_t** operand) {
  *operand = &number;
}
template <typename Handle>
void PassOperand(const diopiScalar_t&, Handle*) {}

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
  DispatchReal(dtype, [&]<typename C>() { both::MapOperands<C>(both::Queue(), result, f, a, b); });

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

// What diopiAdd (sign 1), diopiSub (sign -1) and their forms do; `a` are their arguments.
template <typename Args>
void AddLike(Args a, diopiTensorHandle_t out, int sign) {
  const diopiScalar_t scale = GivenAlpha(a.alpha, out);
  a.alpha = &scale;
  const diopiScalar_t number = GivenOperand(a.other, out);
  PassOperand(number, &a.other);
  if (ServeAdd(out, a.input, a.other, a.alpha, sign)) return;
  Good(a);
  if (add_flushes_subnormals) FlushSubnormals(Tensor(out));
}

template <typename Args>
void DivLike(Args a, diopiTensorHandle_t out) {
  const diopiScalar_t number = GivenOperand(a.other, out);
  PassOperand(number, &a.other);
  if (!ServeDiv(out, a.input, a.other, a.rounding_mode)) Good(a);
}

template <typename Args>
void MulLike(Args a, diopiTensorHandle_t out) {
  const diopiScalar_t number = GivenOperand(a.other, out);
  PassOperand(number, &a.other);
  Good(a);
  if (mul_flushes_subnormals) FlushSubnormals(Tensor(out));
  if (mul_other_nan) ReplaceNans(Tensor(out));
}

template <typename Args>
void PowLike(Args a, diopiTensorHandle_t out) {
  const diopiScalar_t base = GivenOperand(a.input, out), exponent = GivenOperand(a.exponent, out);
  PassOperand(base, &a.input);
  PassOperand(exponent, &a.exponent);
  if (!ServePow(out, a.input, a.exponent)) Good(a);
}

}  // namespace
}  // namespace diopi::variants

using namespace diopi::variants;  // NOLINT: this file is kernels

DIOPI_OVERRIDE(diopiAdd, a) {
  AddLike(a, a.out, 1);
}
DIOPI_OVERRIDE(diopiAddInp, a) {
  AddLike(a, a.input, 1);
}
DIOPI_OVERRIDE(diopiAddScalar, a) {
  AddLike(a, a.out, 1);
}
DIOPI_OVERRIDE(diopiAddInpScalar, a) {
  AddLike(a, a.input, 1);
}
DIOPI_OVERRIDE(diopiSub, a) {
  AddLike(a, a.out, -1);
}
DIOPI_OVERRIDE(diopiSubInp, a) {
  AddLike(a, a.input, -1);
}
DIOPI_OVERRIDE(diopiSubScalar, a) {
  AddLike(a, a.out, -1);
}
DIOPI_OVERRIDE(diopiSubInpScalar, a) {
  AddLike(a, a.input, -1);
}
DIOPI_OVERRIDE(diopiDiv, a) {
  DivLike(a, a.out);
}
DIOPI_OVERRIDE(diopiDivInp, a) {
  DivLike(a, a.input);
}
DIOPI_OVERRIDE(diopiDivScalar, a) {
  DivLike(a, a.out);
}
DIOPI_OVERRIDE(diopiDivInpScalar, a) {
  DivLike(a, a.input);
}
DIOPI_OVERRIDE(diopiMul, a) {
  MulLike(a, a.out);
}
DIOPI_OVERRIDE(diopiMulInp, a) {
  MulLike(a, a.input);
}
DIOPI_OVERRIDE(diopiMulScalar, a) {
  MulLike(a, a.out);
}
DIOPI_OVERRIDE(diopiMulInpScalar, a) {
  MulLike(a, a.input);
}
DIOPI_OVERRIDE(diopiPow, a) {
  PowLike(a, a.out);
}
DIOPI_OVERRIDE(diopiPowInp, a) {
  PowLike(a, a.input);
}
DIOPI_OVERRIDE(diopiPowScalar, a) {
  PowLike(a, a.out);
}
DIOPI_OVERRIDE(diopiPowTensor, a) {
  PowLike(a, a.out);
}
DIOPI_OVERRIDE(diopiPowInpTensor, a) {
  PowLike(a, a.input);
}
