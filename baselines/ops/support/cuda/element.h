// One element of any dtype in memory, read and written as a number of a compute type: float for float16,
// bfloat16 and float32, double, int64_t for integers and bool. The dtype is chosen at run time, not by the
// compiler: it is the same for all threads of a launch, and this keeps kernels few.
//
// The same meaning as Load and Store of support/tensor.h: rounded to nearest, ties to even; integers wrap;
// floating numbers become integers by truncation (0 when NaN or beyond int64); bool is "not zero".
#ifndef BASELINES_OPS_SUPPORT_CUDA_ELEMENT_H_
#define BASELINES_OPS_SUPPORT_CUDA_ELEMENT_H_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/hd.h"

namespace diopi::ops::cuda {

template <typename To, typename From>
DIOPI_HD To BitsOf(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

// A format of 16 bits: precision (with the leading one) and least normal exponent.
struct Float16Format {
  static constexpr int kPrecision = 11, kMinExponent = -14, kMaxExponent = 15;
};
struct Bfloat16Format {
  static constexpr int kPrecision = 8, kMinExponent = -126, kMaxExponent = 127;
};

// Rounded once, to nearest, ties to even. Uses integers: the value is n quanta of its binade, and a carry out
// of n moves into the exponent by itself.
template <typename Format>
DIOPI_HD uint16_t EncodeSmall(double x) {
  const uint64_t bits = BitsOf<uint64_t>(x);
  const auto sign = static_cast<uint16_t>((bits >> 48) & 0x8000);
  const uint64_t magnitude = bits & 0x7fffffffffffffff;
  constexpr int kShift = Format::kPrecision - 1;
  constexpr auto kInfinity =
      static_cast<uint16_t>((Format::kMaxExponent - Format::kMinExponent + 2) << kShift);
  if (magnitude > 0x7ff0000000000000) return static_cast<uint16_t>(sign | kInfinity | (1 << (kShift - 1)));
  const int exponent = static_cast<int>(magnitude >> 52) - 1023;
  if (exponent > Format::kMaxExponent) return static_cast<uint16_t>(sign | kInfinity);
  const int used = exponent > Format::kMinExponent ? exponent : Format::kMinExponent;
  const int drop = 52 - kShift + (used - exponent);  // bits below one quantum
  if (drop > 54) return sign;                        // below half of the least quantum
  const uint64_t significand = (magnitude & 0xfffffffffffff) | (uint64_t{1} << 52);
  const uint64_t half = uint64_t{1} << (drop - 1);
  uint64_t quanta = significand >> drop;
  const uint64_t rest = significand & ((half << 1) - 1);
  if (rest > half || (rest == half && (quanta & 1) != 0)) ++quanta;
  const auto base = static_cast<uint64_t>(used - Format::kMinExponent) << kShift;
  return static_cast<uint16_t>(sign | (base + quanta));
}

DIOPI_HD inline float DecodeBfloat16(uint16_t bits) {
  return BitsOf<float>(static_cast<uint32_t>(bits) << 16);
}
DIOPI_HD inline float DecodeFloat16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t rest = static_cast<uint32_t>(bits & 0x7fff) << 13;
  if (rest >= 0x0f800000) return BitsOf<float>(sign | 0x7f800000 | rest);
  return BitsOf<float>(sign | BitsOf<uint32_t>(BitsOf<float>(rest) * 0x1p112F));
}

template <typename T>
DIOPI_HD T Peek(const void* base, int64_t offset) {
#if defined(__CUDA_ARCH__)
  return static_cast<const T*>(base)[offset];
#else
  T x;  // the host's memory need not be aligned
  memcpy(&x, static_cast<const char*>(base) + offset * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return x;
#endif
}
template <typename T>
DIOPI_HD void Poke(void* base, int64_t offset, T x) {
#if defined(__CUDA_ARCH__)
  static_cast<T*>(base)[offset] = x;
#else
  memcpy(static_cast<char*>(base) + offset * static_cast<int64_t>(sizeof(T)), &x, sizeof(T));
#endif
}

template <typename C>
DIOPI_HD int64_t TruncateToInt(C x) {
  if constexpr (std::is_same_v<C, int64_t>) {
    return x;
  } else {
    return x >= C(-0x1p63) && x < C(0x1p63) ? static_cast<int64_t>(x) : 0;
  }
}

// A stored number, as the compute type.
template <typename C, typename T>
DIOPI_HD C Converted(T x) {
  if constexpr (std::is_same_v<C, int64_t> && std::is_floating_point_v<T>) {
    return TruncateToInt(x);
  } else {
    return static_cast<C>(x);
  }
}

// Element `offset` (counted in elements) of `base`. The dtype is one that CheckDtype accepts.
template <typename C>
DIOPI_HD C LoadElement(const void* base, diopiDtype_t dtype, int64_t offset) {
  switch (dtype) {
    case diopi_dtype_float32:
      return Converted<C>(Peek<float>(base, offset));
    case diopi_dtype_float16:
      return Converted<C>(DecodeFloat16(Peek<uint16_t>(base, offset)));
    case diopi_dtype_bfloat16:
      return Converted<C>(DecodeBfloat16(Peek<uint16_t>(base, offset)));
    case diopi_dtype_float64:
      return Converted<C>(Peek<double>(base, offset));
    case diopi_dtype_int64:
      return Converted<C>(Peek<int64_t>(base, offset));
    case diopi_dtype_int32:
      return Converted<C>(Peek<int32_t>(base, offset));
    case diopi_dtype_int16:
      return Converted<C>(Peek<int16_t>(base, offset));
    case diopi_dtype_int8:
      return Converted<C>(Peek<int8_t>(base, offset));
    case diopi_dtype_uint64:
      return Converted<C>(Peek<uint64_t>(base, offset));
    case diopi_dtype_uint32:
      return Converted<C>(Peek<uint32_t>(base, offset));
    case diopi_dtype_uint16:
      return Converted<C>(Peek<uint16_t>(base, offset));
    case diopi_dtype_uint8:
      return Converted<C>(Peek<uint8_t>(base, offset));
    case diopi_dtype_bool:
      return C(Peek<uint8_t>(base, offset) != 0 ? 1 : 0);
    default:
      return C(0);
  }
}

template <typename C>
DIOPI_HD void StoreElement(void* base, diopiDtype_t dtype, int64_t offset, C x) {
  switch (dtype) {
    case diopi_dtype_float32:
      return Poke(base, offset, static_cast<float>(x));
    case diopi_dtype_float16:
      return Poke(base, offset, EncodeSmall<Float16Format>(static_cast<double>(x)));
    case diopi_dtype_bfloat16:
      return Poke(base, offset, EncodeSmall<Bfloat16Format>(static_cast<double>(x)));
    case diopi_dtype_float64:
      return Poke(base, offset, static_cast<double>(x));
    case diopi_dtype_int64:
    case diopi_dtype_uint64:
      return Poke(base, offset, TruncateToInt(x));
    case diopi_dtype_int32:
    case diopi_dtype_uint32:
      return Poke(base, offset, static_cast<int32_t>(TruncateToInt(x)));
    case diopi_dtype_int16:
    case diopi_dtype_uint16:
      return Poke(base, offset, static_cast<int16_t>(TruncateToInt(x)));
    case diopi_dtype_int8:
    case diopi_dtype_uint8:
      return Poke(base, offset, static_cast<int8_t>(TruncateToInt(x)));
    case diopi_dtype_bool:
      return Poke(base, offset, static_cast<uint8_t>(x != C(0) ? 1 : 0));
    default:
      return;
  }
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_ELEMENT_H_
