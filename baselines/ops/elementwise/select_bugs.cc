// Bugs injected in functions that choose, move and convert elements: cast_dtype, where, masked_fill, fill.
#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/bugs/support.h"

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(cast_fp16_truncates, 4, "diopiCastDtype", "", "float16 is truncated instead of rounded");
BUG(cast_fp16_saturates, 44, "diopiCastDtype", "", "beyond 65504 comes 65504 instead of infinity");
BUG(cast_bf16_ties_away, 0, "diopiCastDtype", "", "ties go away from zero in bfloat16, not to even");
BUG(cast_fp16_subnormals_flushed, 30, "diopiCastDtype", "", "subnormal float16 numbers become zero");
BUG(cast_float_to_int_rounds, 0, "diopiCastDtype", "", "floats are rounded to integers, not truncated");
BUG(cast_int64_through_fp32, 0, "diopiCastDtype", "", "int64 is converted to float64 through float32");
BUG(cast_int_saturates, 0, "diopiCastDtype", "", "narrower integers saturate instead of wrapping");
BUG(cast_uint8_sign_extended, 0, "diopiCastDtype", "", "uint8 numbers above 127 become negative");
BUG(cast_bool_written_as_ff, 64, "diopiCastDtype", "", "true is stored as the byte 0xFF");
BUG(cast_bool_truncates_first, 0, "diopiCastDtype", "", "fractions are cut to 0 before the test against 0");
BUG(where_nan_spreads, 0, "diopiWhere", "", "c * x + (1 - c) * y: NaN of the branch not chosen spreads");
BUG(where_int_through_fp32, 0, "diopiWhere", "", "integers are moved as float32");
BUG(where_condition_lowest_bit, 0, "diopiWhere", "", "only the lowest bit of a uint8 condition is tested");
BUG(where_condition_strides_of_input, 53, "diopiWhere", "", "the condition is read in storage order");
BUG(masked_fill_infinity_clamped, 0, "diopiMaskedFillScalar", "",
    "an infinite value becomes the largest number of the dtype");
BUG(masked_fill_nan_spreads, 0, "diopiMaskedFill", "",
    "mask * value + (1 - mask) * input, which spreads NaN and infinities");
BUG(masked_fill_inplace_mask_by_modulo, 52, "diopiMaskedFillInp", "",
    "a smaller mask is repeated by the flat index modulo its size");
BUG(fill_scalar_truncated, 0, "diopiFill", "", "the value is read as an integer");
BUG(fill_gaps_too, 59, "diopiFill", "", "a strided tensor is filled with one run over its storage");

double Largest(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float16) return 65504;
  if (dtype == diopi_dtype_bfloat16) return 0x1.fep127;
  return dtype == diopi_dtype_float32 ? static_cast<double>(std::numeric_limits<float>::max())
                                      : std::numeric_limits<double>::max();
}

double Bfloat16TiesAway(double x) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(x));
  return static_cast<double>(std::bit_cast<float>((bits + 0x8000U) & 0xFFFF0000U));
}

// x of any floating dtype into float16 or bfloat16, as the injected casts do it.
double CastDown(diopiDtype_t dtype, double x) {
  const bool half = dtype == diopi_dtype_float16;
  if (cast_fp16_truncates && half && std::fabs(x) < 65504) return TruncatedTo(dtype, x);
  if (cast_fp16_saturates && half && std::isfinite(x)) return std::clamp(x, -65504.0, 65504.0);
  if (cast_fp16_subnormals_flushed && half && std::fabs(ToHalf(x)) < 0x1p-14) return std::copysign(0.0, x);
  if (cast_bf16_ties_away && dtype == diopi_dtype_bfloat16 && std::isfinite(x)) return Bfloat16TiesAway(x);
  return x;
}

bool InjectedCastDown() {
  return cast_fp16_truncates || cast_fp16_saturates || cast_fp16_subnormals_flushed || cast_bf16_ties_away;
}

// Between floating dtypes; false where no injected bug applies.
bool CastFloats(const Tensor& out, const Tensor& input) {
  const bool narrow = out.dtype() == diopi_dtype_float16 || out.dtype() == diopi_dtype_bfloat16;
  if (!InjectedCastDown() || !narrow || out.dtype() == input.dtype()) return false;
  std::vector<double> values = Load<double>(input);
  for (double& x : values) x = CastDown(out.dtype(), x);
  Store(out, values);
  return true;
}

bool CastFloatsToIntegers(const Tensor& out, const Tensor& input) {
  if (!cast_float_to_int_rounds) return false;
  std::vector<double> values = Load<double>(input);
  for (double& x : values) x = std::nearbyint(x);
  Store(out, values);
  return true;
}

// What an integer dtype holds of x without wrapping.
int64_t Saturated(diopiDtype_t dtype, int64_t x) {
  const int64_t bits = diopi::ops::ElementSize(dtype) * 8;
  if (bits == 64) return x;
  const bool has_sign = dtype == diopi_dtype_int8 || dtype == diopi_dtype_int16 || dtype == diopi_dtype_int32;
  const int64_t end = int64_t{1} << (has_sign ? bits - 1 : bits);
  return std::clamp(x, has_sign ? -end : 0, end - 1);
}

bool CastIntegers(const Tensor& out, const Tensor& input) {
  std::vector<int64_t> values = Load<int64_t>(input);
  if (cast_int64_through_fp32 && out.dtype() == diopi_dtype_float64) {
    std::vector<double> rounded;
    rounded.reserve(values.size());
    for (int64_t x : values) rounded.push_back(static_cast<double>(static_cast<float>(x)));
    Store(out, rounded);
    return true;
  }
  if (cast_uint8_sign_extended && input.dtype() == diopi_dtype_uint8 && !diopi::ops::IsBool(out.dtype())) {
    for (int64_t& x : values) x = x > 127 ? x - 256 : x;
    Store(out, values);
    return true;
  }
  if (!cast_int_saturates || !diopi::ops::IsInteger(out.dtype())) return false;
  for (int64_t& x : values) x = Saturated(out.dtype(), x);
  Store(out, values);
  return true;
}

// True when a injected bug has made the conversion.
bool InjectedCast(const Tensor& out, const Tensor& input) {
  const bool from_float = diopi::ops::IsFloating(input.dtype());
  if (from_float && diopi::ops::IsFloating(out.dtype())) return CastFloats(out, input);
  if (from_float && diopi::ops::IsInteger(out.dtype())) return CastFloatsToIntegers(out, input);
  if (from_float && cast_bool_truncates_first) {
    Store(out, Load<int64_t>(input));
    return true;
  }
  return diopi::ops::IsInteger(input.dtype()) && CastIntegers(out, input);
}

}  // namespace

DIOPI_OVERRIDE(diopiCastDtype, a) {
  if (InjectedCast(Tensor(a.out), Tensor(a.input))) return;
  Good(a);
  if (!cast_bool_written_as_ff || DtypeOf(a.out) != diopi_dtype_bool) return;
  for (int64_t i = 0; i < NumElements(a.out); ++i) {
    if (*ElementAt(a.out, i) != 0) *ElementAt(a.out, i) = 0xFF;
  }
}

namespace {

void WhereByArithmetic(diopiTensorHandle_t out, diopiConstTensorHandle_t condition,
                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  const Tensor result(out);
  const std::vector<uint8_t> chosen = diopi::ops::LoadBool(condition, result.shape());
  std::vector<double> x = LoadAs<double>(input, result.shape());
  const std::vector<double> y = LoadAs<double>(other, result.shape());
  for (size_t i = 0; i < x.size(); ++i) x[i] = chosen[i] * x[i] + (1 - chosen[i]) * y[i];
  Store(result, x);
}

// Each byte of a uint8 condition with all bits but the lowest cleared.
diopiTensorHandle_t LowestBit(diopiContextHandle_t ctx, diopiConstTensorHandle_t condition) {
  return Replaced(ctx, condition,
                  [](double x, int64_t) { return static_cast<double>(static_cast<int>(x) & 1); });
}

}  // namespace

DIOPI_OVERRIDE(diopiWhere, a) {
  if (where_nan_spreads && IsFloating(a.out)) return WhereByArithmetic(a.out, a.condition, a.input, a.other);
  diopiConstTensorHandle_t chosen = a.condition;
  if (where_condition_lowest_bit && DtypeOf(a.condition) == diopi_dtype_uint8)
    chosen = LowestBit(a.ctx, a.condition);
  if (where_condition_strides_of_input) chosen = ReadWithoutStrides(a.ctx, a.condition);
  a.condition = chosen;
  Good(a);
  if (where_int_through_fp32 && IsInteger(a.out)) {
    Change(a.out, [](double x, int64_t) { return static_cast<double>(static_cast<float>(x)); });
  }
}

DIOPI_OVERRIDE(diopiMaskedFill, a) {
  if (!masked_fill_nan_spreads || !IsFloating(a.out)) return Good(a);
  const Tensor result(a.out);
  const std::vector<uint8_t> chosen = diopi::ops::LoadBool(a.mask, result.shape());
  std::vector<double> x = LoadAs<double>(a.input, result.shape());
  const double fill = Load<double>(Tensor(a.value))[0];
  for (size_t i = 0; i < x.size(); ++i) x[i] = chosen[i] * fill + (1 - chosen[i]) * x[i];
  Store(result, x);
}

DIOPI_OVERRIDE(diopiMaskedFillScalar, a) {
  diopiScalar_t fill = *a.value;
  if (masked_fill_infinity_clamped && IsFloating(a.out) && diopi::ops::ScalarIsFloating(a.value) &&
      std::isinf(fill.fval)) {
    fill.fval = std::copysign(Largest(DtypeOf(a.out)), fill.fval);
  }
  a.value = &fill;
  Good(a);
}

DIOPI_OVERRIDE(diopiMaskedFillInp, a) {
  if (!masked_fill_inplace_mask_by_modulo) return Good(a);
  const std::vector<int64_t> small = Load<int64_t>(Tensor(a.mask));
  diopiTensorHandle_t all = NewTensor(a.ctx, ShapeOf(a.input), DtypeOf(a.mask));
  std::vector<int64_t> repeated(static_cast<size_t>(NumElements(a.input)));
  for (size_t i = 0; i < repeated.size(); ++i) repeated[i] = small[i % small.size()];
  Store(Tensor(all), repeated);
  a.mask = all;
  Good(a);
}

DIOPI_OVERRIDE(diopiFill, a) {
  diopiScalar_t fill = *a.value;
  if (fill_scalar_truncated && diopi::ops::ScalarIsFloating(a.value)) fill.fval = std::trunc(fill.fval);
  a.value = &fill;
  Good(a);
  if (!fill_gaps_too || NumElements(a.input) < 2) return;
  const auto bytes = static_cast<size_t>(BytesPerElement(a.input));
  const unsigned char* last = ElementAt(a.input, NumElements(a.input) - 1);
  for (unsigned char* at = Bytes(a.input); at < last; at += bytes) std::memcpy(at, last, bytes);
}
