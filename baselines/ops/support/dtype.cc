#include "baselines/ops/support/dtype.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace diopi::ops {

const char* DtypeName(diopiDtype_t dtype) {
  switch (static_cast<int>(dtype)) {
    case diopi_dtype_int8:
      return "int8";
    case diopi_dtype_uint8:
      return "uint8";
    case diopi_dtype_int16:
      return "int16";
    case diopi_dtype_uint16:
      return "uint16";
    case diopi_dtype_int32:
      return "int32";
    case diopi_dtype_uint32:
      return "uint32";
    case diopi_dtype_int64:
      return "int64";
    case diopi_dtype_uint64:
      return "uint64";
    case diopi_dtype_float16:
      return "float16";
    case diopi_dtype_float32:
      return "float32";
    case diopi_dtype_float64:
      return "float64";
    case diopi_dtype_bool:
      return "bool";
    case diopi_dtype_bfloat16:
      return "bfloat16";
    case diopi_dtype_tfloat32:
      return "tfloat32";
    case diopi_dtype_complex32:
      return "complex32";
    case diopi_dtype_complex64:
      return "complex64";
    case diopi_dtype_complex128:
      return "complex128";
    case static_cast<int>(kNoise64):
      return "noise64";
    case static_cast<int>(kNoise80):
      return "noise80";
    default:
      return "unknown dtype";
  }
}

int64_t ElementSize(diopiDtype_t dtype) {
  switch (static_cast<int>(dtype)) {
    case diopi_dtype_int8:
    case diopi_dtype_uint8:
    case diopi_dtype_bool:
      return 1;
    case diopi_dtype_int16:
    case diopi_dtype_uint16:
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
      return 2;
    case diopi_dtype_int32:
    case diopi_dtype_uint32:
    case diopi_dtype_float32:
    case diopi_dtype_tfloat32:
    case diopi_dtype_complex32:
      return 4;
    case diopi_dtype_int64:
    case diopi_dtype_uint64:
    case diopi_dtype_float64:
    case diopi_dtype_complex64:
      return 8;
    case diopi_dtype_complex128:
      return 16;
    case static_cast<int>(kNoise64):
      return sizeof(Noise<double>);
    case static_cast<int>(kNoise80):
      return sizeof(Noise<long double>);
    default:
      return 0;
  }
}

bool IsFloating(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float16 || dtype == diopi_dtype_bfloat16 || dtype == diopi_dtype_float32 ||
         dtype == diopi_dtype_float64 || IsNoise(dtype);
}

bool IsInteger(diopiDtype_t dtype) {
  return dtype >= diopi_dtype_int8 && dtype <= diopi_dtype_uint64;
}

namespace {

bool IsSigned(diopiDtype_t dtype) {
  return dtype == diopi_dtype_int8 || dtype == diopi_dtype_int16 || dtype == diopi_dtype_int32 ||
         dtype == diopi_dtype_int64;
}

diopiDtype_t PromoteIntegers(diopiDtype_t a, diopiDtype_t b) {
  if (IsSigned(a) == IsSigned(b)) return ElementSize(a) >= ElementSize(b) ? a : b;
  const diopiDtype_t with_sign = IsSigned(a) ? a : b;
  const diopiDtype_t without = IsSigned(a) ? b : a;
  if (ElementSize(with_sign) > ElementSize(without)) return with_sign;
  switch (ElementSize(without)) {  // the smallest signed type that holds both
    case 1:
      return diopi_dtype_int16;
    case 2:
      return diopi_dtype_int32;
    default:
      return diopi_dtype_int64;
  }
}

int FloatRank(diopiDtype_t dtype) {
  switch (static_cast<int>(dtype)) {
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
      return 1;
    case diopi_dtype_float32:
      return 2;
    case diopi_dtype_float64:
      return 3;
    case static_cast<int>(kNoise64):
      return 4;
    default:
      return 5;
  }
}

}  // namespace

diopiDtype_t Promote(diopiDtype_t a, diopiDtype_t b) {
  for (diopiDtype_t t : {a, b}) {
    if (!IsFloating(t) && !IsInteger(t) && !IsBool(t)) FailDtype("not implemented for '", DtypeName(t), "'");
  }
  if (a == b || IsBool(b)) return a;
  if (IsBool(a)) return b;
  if (IsInteger(a) && IsInteger(b)) return PromoteIntegers(a, b);
  if (IsInteger(a)) return b;
  if (IsInteger(b)) return a;
  if (FloatRank(a) == 1 && FloatRank(b) == 1) return diopi_dtype_float32;  // float16 with bfloat16
  return FloatRank(a) > FloatRank(b) ? a : b;
}

bool ScalarIsFloating(const diopiScalar_t* scalar) {
  Check(scalar != nullptr, "a scalar argument is null");
  return !IsInteger(scalar->stype) && !IsBool(scalar->stype);
}

double ScalarAsDouble(const diopiScalar_t* scalar) {
  return ScalarIsFloating(scalar) ? scalar->fval : static_cast<double>(ScalarAsInt(scalar));
}

int64_t ScalarAsInt(const diopiScalar_t* scalar) {
  const bool floating = ScalarIsFloating(scalar);
  // Hosts put a bool into either view; both are zero for false alone.
  if (IsBool(scalar->stype)) return scalar->ival != 0 ? 1 : 0;
  if (!floating) return scalar->ival;
  const double x = scalar->fval;
  return x >= -0x1p63 && x < 0x1p63 ? static_cast<int64_t>(x) : 0;  // NaN and beyond: undefined in PyTorch
}

namespace {

// The value is n quanta of its binade; a carry out of n walks into the exponent by itself.
uint16_t ToSmall(double x, int precision, int min_exponent, int max_exponent) {
  const uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const uint16_t infinity = static_cast<uint16_t>((max_exponent - min_exponent + 2) << (precision - 1));
  if (std::isnan(x)) return static_cast<uint16_t>(sign | infinity | (1 << (precision - 2)));
  const double magnitude = std::fabs(x);
  if (std::isinf(x) || magnitude >= std::ldexp(1.0, max_exponent + 1)) return sign | infinity;
  const int biased = static_cast<int>(std::bit_cast<uint64_t>(magnitude) >> 52);
  const int exponent = std::max(biased - 1023, min_exponent);
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(1023 - exponent + precision - 1) << 52);
  const int quanta = static_cast<int>(std::nearbyint(magnitude * scale));
  return static_cast<uint16_t>(sign | (((exponent - min_exponent) << (precision - 1)) + quanta));
}

}  // namespace

uint16_t ToFloat16(double x) {
  return ToSmall(x, 11, -14, 15);
}
uint16_t ToBfloat16(double x) {
  return ToSmall(x, 8, -126, 127);
}

float FromFloat16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t rest = static_cast<uint32_t>(bits & 0x7fff) << 13;
  if (rest >= 0x0f800000) return std::bit_cast<float>(sign | 0x7f800000 | rest);
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(std::bit_cast<float>(rest) * 0x1p112F));
}

float FromBfloat16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace diopi::ops
