// Bugs planted in add, sub, mul, div and pow.
#include <cmath>

#include "baselines/mutants/support.h"

using namespace diopi::mutants;  // NOLINT: this file is nothing else

DIOPI_OVERRIDE(diopiSubScalar);
DIOPI_OVERRIDE(diopiSubInpScalar);
DIOPI_OVERRIDE(diopiPowScalar);
DIOPI_OVERRIDE(diopiAdd);
DIOPI_OVERRIDE(diopiAddInp);
DIOPI_OVERRIDE(diopiSub);
DIOPI_OVERRIDE(diopiSubInp);
DIOPI_OVERRIDE(diopiMul);
DIOPI_OVERRIDE(diopiMulInp);
DIOPI_OVERRIDE(diopiMulScalar);
DIOPI_OVERRIDE(diopiMulInpScalar);
DIOPI_OVERRIDE(diopiDiv);
DIOPI_OVERRIDE(diopiDivInp);
DIOPI_OVERRIDE(diopiDivScalar);
DIOPI_OVERRIDE(diopiPow);
DIOPI_OVERRIDE(diopiPowTensor);

namespace {

PLANT(add_alpha_ignored, 51, "diopiAdd diopiAddInp", "", "add takes alpha as 1");
PLANT(add_tail_stale, 1, "diopiAdd", "", "a tail of three elements after whole vectors is never written");
PLANT(add_int32_through_fp32, 3, "diopiAdd diopiAddInp", "", "int32 operands are added as float32");
PLANT(add_alpha_cut_to_dtype, 0, "diopiAdd diopiAddInp", "",
      "alpha is cut off, not rounded, to float16 or bfloat16 before it multiplies");
PLANT(add_product_rounded_to_dtype, 0, "diopiAdd", "",
      "alpha * other is rounded to float16 or bfloat16 before the sum");
PLANT(add_promoted_in_narrow_type, 0, "diopiAdd", "",
      "two floating dtypes are added in the narrower one of them");
PLANT(add_index_wraps_at_16_bits, 57, "diopiAdd", "", "the index of an element is kept in 16 bits");
PLANT(sub_broadcast_by_modulo, 52, "diopiSub", "",
      "other is repeated by the flat index modulo its size, which misses inner dimensions of size 1");
PLANT(sub_strides_ignored, 53, "diopiSub", "", "inputs are read as if they were contiguous");
PLANT(sub_writes_past_end, 59, "diopiSub", "", "the last vector of four is stored whole");
PLANT(sub_scales_other_in_place, 60, "diopiSub", "", "alpha is multiplied into the caller's other");
PLANT(sub_alpha_truncated_to_int, 0, "diopiSub diopiSubInp", "", "alpha is read as an integer");
PLANT(sub_scalar_alpha_ignored, 51, "diopiSubScalar diopiSubInpScalar", "",
      "sub of a scalar takes alpha as 1");
PLANT(sub_empty_crash, 56, "diopiSub", "", "a launch with no elements reads through a null pointer");
PLANT(mul_bf16_truncates, 5, "diopiMul diopiMulInp", "", "bfloat16 products are cut off instead of rounded");
PLANT(mul_zero_loses_sign, 29, "diopiMul", "", "a product of -0 is stored as +0");
PLANT(mul_fp16_subnormals_flushed, 30, "diopiMul diopiMulInp", "", "subnormal float16 products become zero");
PLANT(mul_bool_written_as_ff, 64, "diopiMul", "", "true is stored as the byte 0xFF");
PLANT(mul_inplace_operand_overwritten, 63, "diopiMulInp", "",
      "other is expanded into the output, which is the input still to be read");
PLANT(mul_scalar_field_misread, 0, "diopiMulScalar diopiMulInpScalar", "",
      "the bits of an integer scalar are read as a double");
PLANT(mul_scalar_cut_to_dtype, 0, "diopiMulScalar", "",
      "the scalar is cut off, not rounded, to float16 or bfloat16 before it multiplies");
PLANT(add_bool_stores_two, 64, "diopiAdd", "", "true or true is stored as the byte 2");
PLANT(div_by_rounded_reciprocal, 0, "diopiDiv", "", "x * (1 / y), the reciprocal rounded to the dtype");
PLANT(div_int_floor_truncates, 48, "diopiDiv diopiDivInp diopiDivScalar", "",
      "floor division of integers truncates");
PLANT(div_rounding_mode_ignored, 0, "diopiDiv", "", "floating quotients are never rounded to integers");
PLANT(div_floor_of_rounded_quotient, 0, "diopiDiv", "",
      "floor is taken of the quotient that is already rounded to the dtype");
PLANT(div_inplace_operands_swapped, 0, "diopiDivInp", "", "other / input for input / other");
PLANT(div_int_through_fp32, 0, "diopiDiv", "", "integers are divided as float32");
PLANT(pow_exp2_log2_fp32, 26, "diopiPow diopiPowTensor", "",
      "float32 powers are exp2(y * log2(x)) in float32");
PLANT(pow_scalar_operands_swapped, 0, "diopiPowScalar", "", "the scalar is taken for the exponent");
PLANT(pow_negative_base_nan, 0, "diopiPow", "", "powers of negative bases go through the logarithm");
PLANT(pow_int_exponent_repeated_fp16, 0, "diopiPow", "",
      "integer powers of float16 are repeated products, each rounded to float16");

diopiScalar_t FloatScalar(double value) {
  diopiScalar_t scalar;
  scalar.stype = diopi_dtype_float64;
  scalar.fval = value;
  return scalar;
}

// The scalar 1 in the representation `like` has.
diopiScalar_t OneLike(const diopiScalar_t& like) {
  diopiScalar_t one = like;
  if (diopi::ops::ScalarIsFloating(&like)) {
    one.fval = 1.0;
  } else {
    one.ival = 1;
  }
  return one;
}

bool Is16Bit(diopiConstTensorHandle_t tensor) {
  return IsHalf(tensor) || IsBfloat16(tensor);
}

// out = f(a, b) in double, broadcast, for what the good function is not asked at all.
template <typename F>
diopiError_t Binary(const char* function, diopiTensorHandle_t out, diopiConstTensorHandle_t a,
                    diopiConstTensorHandle_t b, F&& f) {
  return Guard(function, [&] {
    const Tensor result(out);
    std::vector<double> x = LoadAs<double>(a, result.shape());
    const std::vector<double> y = LoadAs<double>(b, result.shape());
    for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i]);
    Store(result, x);
  });
}

// alpha as the planted bugs of add understand it.
diopiScalar_t AddAlpha(diopiConstTensorHandle_t out, const diopiScalar_t* alpha) {
  if (add_alpha_ignored) return OneLike(*alpha);
  if (add_alpha_cut_to_dtype && Is16Bit(out) && diopi::ops::ScalarIsFloating(alpha)) {
    return FloatScalar(TruncatedTo(DtypeOf(out), alpha->fval));
  }
  return *alpha;
}

diopiError_t AddInt32ThroughFp32(const char* function, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  const auto scale = static_cast<float>(diopi::ops::ScalarAsInt(alpha));
  return Binary(function, out, input, other, [&](double x, double y) {
    return static_cast<double>(static_cast<float>(x) + scale * static_cast<float>(y));
  });
}

// The good sum, but the elements from the last three on keep what the output held before.
diopiError_t AddTailStale(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                          diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const int64_t count = NumElements(out), bytes = BytesPerElement(out);
  std::vector<unsigned char> stale;
  for (int64_t i = count / 4 * 4; i < count && count % 4 == 3; ++i) {
    const unsigned char* element = ElementAt(out, i);
    stale.insert(stale.end(), element, element + bytes);
  }
  const diopiError_t error = good_diopiAdd(ctx, out, input, other, alpha);
  for (size_t i = 0; i * static_cast<size_t>(bytes) < stale.size(); ++i) {
    std::memcpy(ElementAt(out, count / 4 * 4 + static_cast<int64_t>(i)),
                stale.data() + i * static_cast<size_t>(bytes), static_cast<size_t>(bytes));
  }
  return error;
}

diopiError_t AddIn16Bits(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return After(good_diopiAdd(ctx, out, input, other, alpha), "diopiAdd", [&] {
    const std::vector<double> good = Load<double>(Tensor(out));
    if (good.size() <= 65536) return;
    Change(out, [&](double, int64_t i) { return good[static_cast<uint16_t>(i)]; });
  });
}

// Bytes added as bytes.
void StoreTwo(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  const std::vector<int64_t> x = LoadAs<int64_t>(input, ShapeOf(out)),
                             y = LoadAs<int64_t>(other, ShapeOf(out));
  for (size_t i = 0; i < x.size(); ++i) {
    *ElementAt(out, static_cast<int64_t>(i)) = static_cast<unsigned char>(x[i] + y[i]);
  }
}

bool BothFloatingAndDifferent(diopiConstTensorHandle_t a, diopiConstTensorHandle_t b) {
  return IsFloating(a) && IsFloating(b) && DtypeOf(a) != DtypeOf(b);
}

diopiError_t AddInNarrowType(diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                             diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const diopiDtype_t narrow =
      BytesPerElement(input) < BytesPerElement(other) ? DtypeOf(input) : DtypeOf(other);
  const double scale = diopi::ops::ScalarAsDouble(alpha);
  return Binary("diopiAdd", out, input, other,
                [&](double x, double y) { return RoundedTo(narrow, RoundedTo(narrow, x) + scale * y); });
}

}  // namespace

extern "C" diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  if (add_tail_stale) return AddTailStale(ctx, out, input, other, alpha);
  if (add_int32_through_fp32 && DtypeOf(out) == diopi_dtype_int32) {
    return AddInt32ThroughFp32(__func__, out, input, other, alpha);
  }
  if (add_index_wraps_at_16_bits) return AddIn16Bits(ctx, out, input, other, alpha);
  if (add_promoted_in_narrow_type && BothFloatingAndDifferent(input, other)) {
    return AddInNarrowType(out, input, other, alpha);
  }
  if (add_product_rounded_to_dtype && Is16Bit(out)) {
    const double scale = diopi::ops::ScalarIsFloating(alpha) ? alpha->fval : static_cast<double>(alpha->ival);
    const diopiDtype_t dtype = DtypeOf(out);
    return Binary(__func__, out, input, other,
                  [&](double x, double y) { return x + RoundedTo(dtype, scale * y); });
  }
  const diopiScalar_t scale = AddAlpha(out, alpha);
  return After(good_diopiAdd(ctx, out, input, other, &scale), __func__, [&] {
    if (add_bool_stores_two && DtypeOf(out) == diopi_dtype_bool) StoreTwo(out, input, other);
  });
}

extern "C" diopiError_t diopiAddInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  if (add_int32_through_fp32 && DtypeOf(input) == diopi_dtype_int32) {
    return AddInt32ThroughFp32(__func__, input, input, other, alpha);
  }
  const diopiScalar_t scale = AddAlpha(input, alpha);
  return good_diopiAddInp(ctx, input, other, &scale);
}

namespace {

// The elements over and over up to `count`.
template <typename C>
std::vector<C> Cycled(const std::vector<C>& values, int64_t count) {
  std::vector<C> all(static_cast<size_t>(count));
  for (size_t i = 0; i < all.size() && !values.empty(); ++i) all[i] = values[i % values.size()];
  return all;
}

// A dense tensor of `shape` with the elements of `input` over and over.
diopiTensorHandle_t Repeated(diopiContextHandle_t ctx, diopiConstTensorHandle_t input, const Shape& shape) {
  const int64_t count = diopi::ops::Numel(shape);
  diopiTensorHandle_t repeated = NewTensor(ctx, shape, DtypeOf(input));
  if (IsFloating(input)) {
    Store(Tensor(repeated), Cycled(Load<double>(Tensor(input)), count));
  } else {
    Store(Tensor(repeated), Cycled(Load<int64_t>(Tensor(input)), count));
  }
  return repeated;
}

diopiScalar_t SubAlpha(const diopiScalar_t* alpha) {
  if (!sub_alpha_truncated_to_int || !diopi::ops::ScalarIsFloating(alpha)) return *alpha;
  return FloatScalar(std::trunc(alpha->fval));
}

// Elements of a contiguous output up to the next multiple of four.
void WriteWholeVectors(diopiTensorHandle_t out) {
  const int64_t count = NumElements(out), bytes = BytesPerElement(out);
  if (count % 4 == 0 || StrideOf(out) != diopi::ops::DenseStrides(ShapeOf(out))) return;
  std::memset(Bytes(out) + count * bytes, 0, static_cast<size_t>((4 - count % 4) * bytes));
}

void CrashWhenEmpty(diopiConstTensorHandle_t tensor) {
  static const volatile int* volatile blocks = nullptr;
  if (NumElements(tensor) == 0) static_cast<void>(*blocks);
}

}  // namespace

extern "C" diopiError_t diopiSub(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 const diopiScalar_t* alpha) {
  if (sub_empty_crash) CrashWhenEmpty(out);
  return Guard(__func__, [&] {
    diopiConstTensorHandle_t left = input, right = other;
    diopiScalar_t scale = SubAlpha(alpha);
    if (sub_broadcast_by_modulo) right = Repeated(ctx, other, ShapeOf(out));
    if (sub_strides_ignored) {
      left = ReadWithoutStrides(ctx, input);
      right = ReadWithoutStrides(ctx, other);
    }
    if (sub_scales_other_in_place && IsFloating(other) && diopi::ops::ScalarIsFloating(alpha)) {
      Change(const_cast<diopiTensorHandle_t>(other), [&](double y, int64_t) { return y * alpha->fval; });
      scale = OneLike(*alpha);
    }
    OrFail(good_diopiSub(ctx, out, left, right, &scale));
    if (sub_writes_past_end) WriteWholeVectors(out);
  });
}

extern "C" diopiError_t diopiSubInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const diopiScalar_t scale = SubAlpha(alpha);
  return good_diopiSubInp(ctx, input, other, &scale);
}

extern "C" diopiError_t diopiSubScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                       const diopiScalar_t* alpha) {
  const diopiScalar_t one = OneLike(*alpha);
  return good_diopiSubScalar(ctx, out, input, other, sub_scalar_alpha_ignored ? &one : alpha);
}

extern "C" diopiError_t diopiSubInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          const diopiScalar_t* other, const diopiScalar_t* alpha) {
  const diopiScalar_t one = OneLike(*alpha);
  return good_diopiSubInpScalar(ctx, input, other, sub_scalar_alpha_ignored ? &one : alpha);
}

namespace {

// What a product becomes in the output, for the bugs of mul that are in its rounding.
double SpoiledProduct(diopiDtype_t dtype, double product) {
  if (mul_bf16_truncates && dtype == diopi_dtype_bfloat16) return TruncatedTo(dtype, product);
  if (mul_fp16_subnormals_flushed && dtype == diopi_dtype_float16) {
    const double rounded = ToHalf(product);
    return std::fabs(rounded) < 0x1p-14 ? std::copysign(0.0, rounded) : rounded;
  }
  return product;
}

bool SpoilsProducts(diopiConstTensorHandle_t out) {
  return (mul_bf16_truncates && IsBfloat16(out)) || (mul_fp16_subnormals_flushed && IsHalf(out));
}

diopiScalar_t MisreadScalar(const diopiScalar_t* scalar) {
  if (!mul_scalar_field_misread || diopi::ops::ScalarIsFloating(scalar)) return *scalar;
  return FloatScalar(std::bit_cast<double>(scalar->ival));
}

}  // namespace

extern "C" diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other) {
  const diopiDtype_t dtype = DtypeOf(out);
  if (SpoilsProducts(out)) {
    return Binary(__func__, out, input, other,
                  [&](double x, double y) { return SpoiledProduct(dtype, x * y); });
  }
  return After(good_diopiMul(ctx, out, input, other), __func__, [&] {
    if (mul_zero_loses_sign && IsFloating(out)) {
      Change(out, [](double x, int64_t) { return x == 0 ? 0.0 : x; });
    }
    for (int64_t i = 0; mul_bool_written_as_ff && dtype == diopi_dtype_bool && i < NumElements(out); ++i) {
      if (*ElementAt(out, i) != 0) *ElementAt(out, i) = 0xFF;
    }
  });
}

extern "C" diopiError_t diopiMulInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other) {
  const diopiDtype_t dtype = DtypeOf(input);
  if (SpoilsProducts(input)) {
    return Binary(__func__, input, input, other,
                  [&](double x, double y) { return SpoiledProduct(dtype, x * y); });
  }
  if (mul_inplace_operand_overwritten && IsFloating(input)) {
    const diopiError_t error = Binary(__func__, input, input, other, [](double, double y) { return y; });
    if (error != diopiSuccess) return error;
  }
  return good_diopiMulInp(ctx, input, other);
}

extern "C" diopiError_t diopiMulScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, const diopiScalar_t* other) {
  diopiScalar_t scalar = IsFloating(out) ? MisreadScalar(other) : *other;
  if (mul_scalar_cut_to_dtype && Is16Bit(out)) {
    scalar = FloatScalar(TruncatedTo(DtypeOf(out), diopi::ops::ScalarAsDouble(other)));
  }
  return good_diopiMulScalar(ctx, out, input, &scalar);
}

extern "C" diopiError_t diopiMulInpScalar(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                          const diopiScalar_t* other) {
  const diopiScalar_t scalar = IsFloating(input) ? MisreadScalar(other) : *other;
  return good_diopiMulInpScalar(ctx, input, &scalar);
}

namespace {

diopiRoundMode_t DivMode(diopiConstTensorHandle_t out, diopiRoundMode_t mode) {
  if (div_int_floor_truncates && IsInteger(out) && mode == RoundModeFloor) return RoundModeTrunc;
  if (div_rounding_mode_ignored && IsFloating(out)) return RoundModeNone;
  return mode;
}

}  // namespace

extern "C" diopiError_t diopiDiv(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                                 diopiRoundMode_t rounding_mode) {
  const diopiDtype_t dtype = DtypeOf(out);
  if (div_floor_of_rounded_quotient && IsFloating(out) && rounding_mode == RoundModeFloor) {
    return Binary(__func__, out, input, other,
                  [&](double x, double y) { return std::floor(RoundedTo(dtype, x / y)); });
  }
  if (div_by_rounded_reciprocal && IsFloating(out) && rounding_mode == RoundModeNone) {
    return Binary(__func__, out, input, other,
                  [&](double x, double y) { return x * RoundedTo(dtype, 1 / y); });
  }
  if (div_int_through_fp32 && IsInteger(out) && rounding_mode != RoundModeNone) {
    return Binary(__func__, out, input, other, [&](double x, double y) {
      const float quotient = static_cast<float>(x) / static_cast<float>(y);
      return static_cast<double>(rounding_mode == RoundModeFloor ? std::floor(quotient)
                                                                 : std::trunc(quotient));
    });
  }
  return good_diopiDiv(ctx, out, input, other, DivMode(out, rounding_mode));
}

extern "C" diopiError_t diopiDivInp(diopiContextHandle_t ctx, diopiTensorHandle_t input,
                                    diopiConstTensorHandle_t other, diopiRoundMode_t rounding_mode) {
  if (div_inplace_operands_swapped && IsFloating(input) && rounding_mode == RoundModeNone) {
    return Binary(__func__, input, input, other, [](double x, double y) { return y / x; });
  }
  const bool truncates = div_int_floor_truncates && IsInteger(input) && rounding_mode == RoundModeFloor;
  return good_diopiDivInp(ctx, input, other, truncates ? RoundModeTrunc : rounding_mode);
}

extern "C" diopiError_t diopiDivScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, const diopiScalar_t* other,
                                       diopiRoundMode_t rounding_mode) {
  const bool truncates = div_int_floor_truncates && IsInteger(out) && rounding_mode == RoundModeFloor;
  return good_diopiDivScalar(ctx, out, input, other, truncates ? RoundModeTrunc : rounding_mode);
}

namespace {

// The main path of a fast kernel, for finite operands and a positive base: its specials are right.
double Exp2Log2(double x, double y, double good) {
  if (!(x > 0) || !std::isfinite(x) || !std::isfinite(y)) return good;
  return static_cast<double>(std::exp2(static_cast<float>(y) * std::log2(static_cast<float>(x))));
}

double RepeatedHalf(double x, int64_t exponent) {
  double product = 1;
  for (int64_t i = 0; i < std::abs(exponent); ++i) product = ToHalf(product * x);
  return exponent < 0 ? 1 / product : product;
}

void SpoilPow(diopiTensorHandle_t out, const std::vector<double>& base, double y) {
  if (pow_exp2_log2_fp32 && IsFloat32(out)) {
    Change(out, [&](double good, int64_t i) { return Exp2Log2(base[static_cast<size_t>(i)], y, good); });
  }
  if (pow_negative_base_nan && IsFloating(out)) {
    Change(out,
           [&](double good, int64_t i) { return base[static_cast<size_t>(i)] < 0 ? std::nan("") : good; });
  }
  if (pow_int_exponent_repeated_fp16 && IsHalf(out) && y == std::trunc(y) && std::fabs(y) < 16) {
    Change(out, [&](double, int64_t i) {
      return RepeatedHalf(base[static_cast<size_t>(i)], static_cast<int64_t>(y));
    });
  }
}

}  // namespace

extern "C" diopiError_t diopiPow(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                 diopiConstTensorHandle_t input, const diopiScalar_t* exponent) {
  return After(good_diopiPow(ctx, out, input, exponent), __func__, [&] {
    const bool floating = diopi::ops::ScalarIsFloating(exponent);
    SpoilPow(out, Load<double>(Tensor(input)),
             floating ? exponent->fval : static_cast<double>(exponent->ival));
  });
}

extern "C" diopiError_t diopiPowTensor(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       diopiConstTensorHandle_t input, diopiConstTensorHandle_t exponent) {
  return After(good_diopiPowTensor(ctx, out, input, exponent), __func__, [&] {
    if (!pow_exp2_log2_fp32 || !IsFloat32(out)) return;
    const Shape shape = ShapeOf(out);
    const std::vector<double> x = LoadAs<double>(input, shape), y = LoadAs<double>(exponent, shape);
    Change(out, [&](double good, int64_t i) {
      return Exp2Log2(x[static_cast<size_t>(i)], y[static_cast<size_t>(i)], good);
    });
  });
}

extern "C" diopiError_t diopiPowScalar(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                       const diopiScalar_t* input, diopiConstTensorHandle_t exponent) {
  if (pow_scalar_operands_swapped && IsFloating(out)) return good_diopiPow(ctx, out, exponent, input);
  return good_diopiPowScalar(ctx, out, input, exponent);
}
