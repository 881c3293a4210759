// Bugs injected in add, sub, mul, div and pow.
#include <cmath>

#include "baselines/bugs/support.h"

static void Good(const diopiAddArgs& args);

using namespace diopi::bugs;  // NOLINT: this file is nothing else

namespace {

BUG(add_alpha_ignored, 51, "diopiAdd diopiAddInp", "", "add takes alpha as 1");
BUG(add_tail_stale, 1, "diopiAdd", "", "a tail of three elements after whole vectors is never written");
BUG(add_int32_through_fp32, 3, "diopiAdd diopiAddInp", "", "int32 operands are added as float32");
BUG(add_alpha_cut_to_dtype, 0, "diopiAdd diopiAddInp", "",
    "alpha is cut off, not rounded, to float16 or bfloat16 before it multiplies");
BUG(add_product_rounded_to_dtype, 0, "diopiAdd", "",
    "alpha * other is rounded to float16 or bfloat16 before the sum");
BUG(add_promoted_in_narrow_type, 0, "diopiAdd", "",
    "two floating dtypes are added in the narrower one of them");
BUG(add_index_wraps_at_16_bits, 57, "diopiAdd", "", "the index of an element is kept in 16 bits");
BUG(sub_broadcast_by_modulo, 52, "diopiSub", "",
    "other is repeated by the flat index modulo its size, which misses inner dimensions of size 1");
BUG(sub_strides_ignored, 53, "diopiSub", "", "inputs are read as if they were contiguous");
BUG(sub_writes_past_end, 59, "diopiSub", "", "the last vector of four is stored whole");
BUG(sub_scales_other_in_place, 60, "diopiSub", "", "alpha is multiplied into the caller's other");
BUG(sub_alpha_truncated_to_int, 0, "diopiSub diopiSubInp", "", "alpha is read as an integer");
BUG(sub_scalar_alpha_ignored, 51, "diopiSubScalar diopiSubInpScalar", "", "sub of a scalar takes alpha as 1");
BUG(sub_empty_crash, 56, "diopiSub", "", "a launch with no elements reads through a null pointer");
BUG(mul_bf16_truncates, 5, "diopiMul diopiMulInp", "", "bfloat16 products are truncated instead of rounded");
BUG(mul_zero_loses_sign, 29, "diopiMul", "", "a product of -0 is stored as +0");
BUG(mul_fp16_subnormals_flushed, 30, "diopiMul diopiMulInp", "", "subnormal float16 products become zero");
BUG(mul_bool_written_as_ff, 64, "diopiMul", "", "true is stored as the byte 0xFF");
BUG(mul_inplace_operand_overwritten, 63, "diopiMulInp", "",
    "other is expanded into the output, which is the input still to be read");
BUG(mul_scalar_field_misread, 0, "diopiMulScalar diopiMulInpScalar", "",
    "the bits of an integer scalar are read as a double");
BUG(mul_scalar_cut_to_dtype, 0, "diopiMulScalar", "",
    "the scalar is cut off, not rounded, to float16 or bfloat16 before it multiplies");
BUG(add_bool_stores_two, 64, "diopiAdd", "", "true or true is stored as the byte 2");
BUG(div_by_rounded_reciprocal, 0, "diopiDiv", "", "x * (1 / y), the reciprocal rounded to the dtype");
BUG(div_int_floor_truncates, 48, "diopiDiv diopiDivInp diopiDivScalar", "",
    "floor division of integers truncates");
BUG(div_rounding_mode_ignored, 0, "diopiDiv", "", "floating quotients are never rounded to integers");
BUG(div_floor_of_rounded_quotient, 0, "diopiDiv", "",
    "floor is taken of the quotient that is already rounded to the dtype");
BUG(div_inplace_operands_swapped, 0, "diopiDivInp", "", "other / input for input / other");
BUG(div_int_through_fp32, 0, "diopiDiv", "", "integers are divided as float32");
BUG(pow_exp2_log2_fp32, 26, "diopiPow diopiPowTensor", "", "float32 powers are exp2(y * log2(x)) in float32");
BUG(pow_scalar_operands_swapped, 0, "diopiPowScalar", "", "the scalar is taken for the exponent");
BUG(pow_negative_base_nan, 0, "diopiPow", "", "powers of negative bases go through the logarithm");
BUG(pow_int_exponent_repeated_fp16, 0, "diopiPow", "",
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
void Binary(diopiTensorHandle_t out, diopiConstTensorHandle_t a, diopiConstTensorHandle_t b, F&& f) {
  const Tensor result(out);
  std::vector<double> x = LoadAs<double>(a, result.shape());
  const std::vector<double> y = LoadAs<double>(b, result.shape());
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i]);
  Store(result, x);
}

// alpha as the injected bugs of add understand it.
diopiScalar_t AddAlpha(diopiConstTensorHandle_t out, const diopiScalar_t* alpha) {
  if (add_alpha_ignored) return OneLike(*alpha);
  if (add_alpha_cut_to_dtype && Is16Bit(out) && diopi::ops::ScalarIsFloating(alpha)) {
    return FloatScalar(TruncatedTo(DtypeOf(out), alpha->fval));
  }
  return *alpha;
}

void AddInt32ThroughFp32(diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  const auto scale = static_cast<float>(diopi::ops::ScalarAsInt(alpha));
  return Binary(out, input, other, [&](double x, double y) {
    return static_cast<double>(static_cast<float>(x) + scale * static_cast<float>(y));
  });
}

// The good sum, but the elements from the last three on keep what the output held before.
void AddTailStale(const diopiAddArgs& a) {
  const int64_t count = NumElements(a.out), bytes = BytesPerElement(a.out);
  std::vector<unsigned char> stale;
  for (int64_t i = count / 4 * 4; i < count && count % 4 == 3; ++i) {
    const unsigned char* element = ElementAt(a.out, i);
    stale.insert(stale.end(), element, element + bytes);
  }
  Good(a);
  for (size_t i = 0; i * static_cast<size_t>(bytes) < stale.size(); ++i) {
    std::memcpy(ElementAt(a.out, count / 4 * 4 + static_cast<int64_t>(i)),
                stale.data() + i * static_cast<size_t>(bytes), static_cast<size_t>(bytes));
  }
}

void AddIn16Bits(const diopiAddArgs& a) {
  Good(a);
  const std::vector<double> good = Load<double>(Tensor(a.out));
  if (good.size() <= 65536) return;
  Change(a.out, [&](double, int64_t i) { return good[static_cast<uint16_t>(i)]; });
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

void AddInNarrowType(diopiTensorHandle_t out, diopiConstTensorHandle_t input, diopiConstTensorHandle_t other,
                     const diopiScalar_t* alpha) {
  const diopiDtype_t narrow =
      BytesPerElement(input) < BytesPerElement(other) ? DtypeOf(input) : DtypeOf(other);
  const double scale = diopi::ops::ScalarAsDouble(alpha);
  return Binary(out, input, other,
                [&](double x, double y) { return RoundedTo(narrow, RoundedTo(narrow, x) + scale * y); });
}

}  // namespace

DIOPI_OVERRIDE(diopiAdd, a) {
  if (add_tail_stale) return AddTailStale(a);
  if (add_int32_through_fp32 && DtypeOf(a.out) == diopi_dtype_int32) {
    return AddInt32ThroughFp32(a.out, a.input, a.other, a.alpha);
  }
  if (add_index_wraps_at_16_bits) return AddIn16Bits(a);
  if (add_promoted_in_narrow_type && BothFloatingAndDifferent(a.input, a.other)) {
    return AddInNarrowType(a.out, a.input, a.other, a.alpha);
  }
  if (add_product_rounded_to_dtype && Is16Bit(a.out)) {
    const double scale =
        diopi::ops::ScalarIsFloating(a.alpha) ? a.alpha->fval : static_cast<double>(a.alpha->ival);
    const diopiDtype_t dtype = DtypeOf(a.out);
    return Binary(a.out, a.input, a.other,
                  [&](double x, double y) { return x + RoundedTo(dtype, scale * y); });
  }
  const diopiScalar_t scale = AddAlpha(a.out, a.alpha);
  a.alpha = &scale;
  Good(a);
  if (add_bool_stores_two && DtypeOf(a.out) == diopi_dtype_bool) StoreTwo(a.out, a.input, a.other);
}

DIOPI_OVERRIDE(diopiAddInp, a) {
  if (add_int32_through_fp32 && DtypeOf(a.input) == diopi_dtype_int32) {
    return AddInt32ThroughFp32(a.input, a.input, a.other, a.alpha);
  }
  const diopiScalar_t scale = AddAlpha(a.input, a.alpha);
  a.alpha = &scale;
  Good(a);
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

DIOPI_OVERRIDE(diopiSub, a) {
  if (sub_empty_crash) CrashWhenEmpty(a.out);
  diopiConstTensorHandle_t left = a.input, right = a.other;
  diopiScalar_t scale = SubAlpha(a.alpha);
  if (sub_broadcast_by_modulo) right = Repeated(a.ctx, a.other, ShapeOf(a.out));
  if (sub_strides_ignored) {
    left = ReadWithoutStrides(a.ctx, a.input);
    right = ReadWithoutStrides(a.ctx, a.other);
  }
  if (sub_scales_other_in_place && IsFloating(a.other) && diopi::ops::ScalarIsFloating(a.alpha)) {
    Change(const_cast<diopiTensorHandle_t>(a.other), [&](double y, int64_t) { return y * a.alpha->fval; });
    scale = OneLike(*a.alpha);
  }
  a.input = left;
  a.other = right;
  a.alpha = &scale;
  Good(a);
  if (sub_writes_past_end) WriteWholeVectors(a.out);
}

DIOPI_OVERRIDE(diopiSubInp, a) {
  const diopiScalar_t scale = SubAlpha(a.alpha);
  a.alpha = &scale;
  Good(a);
}

DIOPI_OVERRIDE(diopiSubScalar, a) {
  const diopiScalar_t one = OneLike(*a.alpha);
  a.alpha = sub_scalar_alpha_ignored ? &one : a.alpha;
  Good(a);
}

DIOPI_OVERRIDE(diopiSubInpScalar, a) {
  const diopiScalar_t one = OneLike(*a.alpha);
  a.alpha = sub_scalar_alpha_ignored ? &one : a.alpha;
  Good(a);
}

namespace {

// What a product becomes in the output, for the bugs of mul that are in its rounding.
double CorruptedProduct(diopiDtype_t dtype, double product) {
  if (mul_bf16_truncates && dtype == diopi_dtype_bfloat16) return TruncatedTo(dtype, product);
  if (mul_fp16_subnormals_flushed && dtype == diopi_dtype_float16) {
    const double rounded = ToHalf(product);
    return std::fabs(rounded) < 0x1p-14 ? std::copysign(0.0, rounded) : rounded;
  }
  return product;
}

bool CorruptsProducts(diopiConstTensorHandle_t out) {
  return (mul_bf16_truncates && IsBfloat16(out)) || (mul_fp16_subnormals_flushed && IsHalf(out));
}

diopiScalar_t MisreadScalar(const diopiScalar_t* scalar) {
  if (!mul_scalar_field_misread || diopi::ops::ScalarIsFloating(scalar)) return *scalar;
  return FloatScalar(std::bit_cast<double>(scalar->ival));
}

}  // namespace

DIOPI_OVERRIDE(diopiMul, a) {
  const diopiDtype_t dtype = DtypeOf(a.out);
  if (CorruptsProducts(a.out)) {
    return Binary(a.out, a.input, a.other,
                  [&](double x, double y) { return CorruptedProduct(dtype, x * y); });
  }
  Good(a);
  if (mul_zero_loses_sign && IsFloating(a.out)) {
    Change(a.out, [](double x, int64_t) { return x == 0 ? 0.0 : x; });
  }
  for (int64_t i = 0; mul_bool_written_as_ff && dtype == diopi_dtype_bool && i < NumElements(a.out); ++i) {
    if (*ElementAt(a.out, i) != 0) *ElementAt(a.out, i) = 0xFF;
  }
}

DIOPI_OVERRIDE(diopiMulInp, a) {
  const diopiDtype_t dtype = DtypeOf(a.input);
  if (CorruptsProducts(a.input)) {
    return Binary(a.input, a.input, a.other,
                  [&](double x, double y) { return CorruptedProduct(dtype, x * y); });
  }
  if (mul_inplace_operand_overwritten && IsFloating(a.input)) {
    Binary(a.input, a.input, a.other, [](double, double y) { return y; });
  }
  Good(a);
}

DIOPI_OVERRIDE(diopiMulScalar, a) {
  diopiScalar_t scalar = IsFloating(a.out) ? MisreadScalar(a.other) : *a.other;
  if (mul_scalar_cut_to_dtype && Is16Bit(a.out)) {
    scalar = FloatScalar(TruncatedTo(DtypeOf(a.out), diopi::ops::ScalarAsDouble(a.other)));
  }
  a.other = &scalar;
  Good(a);
}

DIOPI_OVERRIDE(diopiMulInpScalar, a) {
  const diopiScalar_t scalar = IsFloating(a.input) ? MisreadScalar(a.other) : *a.other;
  a.other = &scalar;
  Good(a);
}

namespace {

diopiRoundMode_t DivMode(diopiConstTensorHandle_t out, diopiRoundMode_t mode) {
  if (div_int_floor_truncates && IsInteger(out) && mode == RoundModeFloor) return RoundModeTrunc;
  if (div_rounding_mode_ignored && IsFloating(out)) return RoundModeNone;
  return mode;
}

}  // namespace

DIOPI_OVERRIDE(diopiDiv, a) {
  const diopiDtype_t dtype = DtypeOf(a.out);
  if (div_floor_of_rounded_quotient && IsFloating(a.out) && a.rounding_mode == RoundModeFloor) {
    return Binary(a.out, a.input, a.other,
                  [&](double x, double y) { return std::floor(RoundedTo(dtype, x / y)); });
  }
  if (div_by_rounded_reciprocal && IsFloating(a.out) && a.rounding_mode == RoundModeNone) {
    return Binary(a.out, a.input, a.other, [&](double x, double y) { return x * RoundedTo(dtype, 1 / y); });
  }
  if (div_int_through_fp32 && IsInteger(a.out) && a.rounding_mode != RoundModeNone) {
    return Binary(a.out, a.input, a.other, [&](double x, double y) {
      const float quotient = static_cast<float>(x) / static_cast<float>(y);
      return static_cast<double>(a.rounding_mode == RoundModeFloor ? std::floor(quotient)
                                                                   : std::trunc(quotient));
    });
  }
  a.rounding_mode = DivMode(a.out, a.rounding_mode);
  Good(a);
}

DIOPI_OVERRIDE(diopiDivInp, a) {
  if (div_inplace_operands_swapped && IsFloating(a.input) && a.rounding_mode == RoundModeNone) {
    return Binary(a.input, a.input, a.other, [](double x, double y) { return y / x; });
  }
  const bool truncates = div_int_floor_truncates && IsInteger(a.input) && a.rounding_mode == RoundModeFloor;
  a.rounding_mode = truncates ? RoundModeTrunc : a.rounding_mode;
  Good(a);
}

DIOPI_OVERRIDE(diopiDivScalar, a) {
  const bool truncates = div_int_floor_truncates && IsInteger(a.out) && a.rounding_mode == RoundModeFloor;
  a.rounding_mode = truncates ? RoundModeTrunc : a.rounding_mode;
  Good(a);
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

void CorruptPow(diopiTensorHandle_t out, const std::vector<double>& base, double y) {
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

DIOPI_OVERRIDE(diopiPow, a) {
  Good(a);
  const bool floating = diopi::ops::ScalarIsFloating(a.exponent);
  CorruptPow(a.out, Load<double>(Tensor(a.input)),
             floating ? a.exponent->fval : static_cast<double>(a.exponent->ival));
}

DIOPI_OVERRIDE(diopiPowTensor, a) {
  Good(a);
  if (!pow_exp2_log2_fp32 || !IsFloat32(a.out)) return;
  const Shape shape = ShapeOf(a.out);
  const std::vector<double> x = LoadAs<double>(a.input, shape), y = LoadAs<double>(a.exponent, shape);
  Change(a.out, [&](double good, int64_t i) {
    return Exp2Log2(x[static_cast<size_t>(i)], y[static_cast<size_t>(i)], good);
  });
}

DIOPI_OVERRIDE(diopiPowScalar, a) {
  if (pow_scalar_operands_swapped && IsFloating(a.out))
    return Good(diopiPowArgs{a.ctx, a.out, a.exponent, a.input});
  Good(a);
}
