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
#if defined(__CUDA_ARCH__)
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
#else
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t rest = static_cast<uint32_t>(bits & 0x7fff) << 13;
  if (rest >= 0x0f800000) return BitsOf<float>(sign | 0x7f800000 | rest);
  return BitsOf<float>(sign | BitsOf<uint32_t>(BitsOf<float>(rest) * 0x1p112F));
#endif
}

// The same roundings, from a float in a few instructions.
DIOPI_HD inline uint16_t EncodeFloat16(float x) {
#if defined(__CUDA_ARCH__)
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
#else
  return EncodeSmall<Float16Format>(static_cast<double>(x));
#endif
}
DIOPI_HD inline uint16_t EncodeBfloat16(float x) {
  const auto bits = BitsOf<uint32_t>(x);
  if (x != x) return static_cast<uint16_t>(bits >> 16 | 0x7fc0);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
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

// Four neighbours: one or two accesses to aligned memory.
template <typename T>
struct alignas(sizeof(T) < 4 ? 4 * sizeof(T) : 16) Four {
  T at[4];
};

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

// A number of the compute type, as it is stored: integers wrap.
template <typename T, typename C>
DIOPI_HD T Stored(C x) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(x);
  } else {
    return static_cast<T>(TruncateToInt(x));
  }
}

// How each dtype is stored, and its conversions from and to a compute type.
template <typename S>
struct PlainForm {
  using Type = S;
  template <typename C>
  DIOPI_HD static C Read(S x) {
    return Converted<C>(x);
  }
  template <typename C>
  DIOPI_HD static S Written(C x) {
    return Stored<S>(x);
  }
};
template <typename Format>
struct SmallForm {
  using Type = uint16_t;
  static constexpr bool kBfloat16 = std::is_same_v<Format, Bfloat16Format>;
  template <typename C>
  DIOPI_HD static C Read(uint16_t x) {
    return Converted<C>(kBfloat16 ? DecodeBfloat16(x) : DecodeFloat16(x));
  }
  template <typename C>
  DIOPI_HD static uint16_t Written(C x) {
    if constexpr (std::is_same_v<C, float>) {
      return kBfloat16 ? EncodeBfloat16(x) : EncodeFloat16(x);
    } else {
      return EncodeSmall<Format>(static_cast<double>(x));
    }
  }
};
struct BoolForm {
  using Type = uint8_t;
  template <typename C>
  DIOPI_HD static C Read(uint8_t x) {
    return C(x != 0 ? 1 : 0);
  }
  template <typename C>
  DIOPI_HD static uint8_t Written(C x) {
    return x != C(0) ? 1 : 0;
  }
};

// f(form) for the form of `dtype`, and true, if it is one that compute type C stands for (dtype.h).
template <typename C, typename F>
DIOPI_HD bool WithFormOf(diopiDtype_t dtype, const F& f) {
  if constexpr (std::is_same_v<C, float>) {
    switch (dtype) {
      case diopi_dtype_float32:
        return f(PlainForm<float>()), true;
      case diopi_dtype_float16:
        return f(SmallForm<Float16Format>()), true;
      case diopi_dtype_bfloat16:
        return f(SmallForm<Bfloat16Format>()), true;
      default:
        return false;
    }
  } else if constexpr (std::is_same_v<C, double>) {
    return dtype == diopi_dtype_float64 && (f(PlainForm<double>()), true);
  } else {
    switch (dtype) {
      case diopi_dtype_int64:
        return f(PlainForm<int64_t>()), true;
      case diopi_dtype_int32:
        return f(PlainForm<int32_t>()), true;
      case diopi_dtype_int16:
        return f(PlainForm<int16_t>()), true;
      case diopi_dtype_int8:
        return f(PlainForm<int8_t>()), true;
      case diopi_dtype_uint64:
        return f(PlainForm<uint64_t>()), true;
      case diopi_dtype_uint32:
        return f(PlainForm<uint32_t>()), true;
      case diopi_dtype_uint16:
        return f(PlainForm<uint16_t>()), true;
      case diopi_dtype_uint8:
        return f(PlainForm<uint8_t>()), true;
      case diopi_dtype_bool:
        return f(BoolForm()), true;
      default:
        return false;
    }
  }
}
// Asks only whether it is one.
struct AnyForm {
  template <typename Form>
  DIOPI_HD void operator()(Form) const {}
};
// For every dtype that CheckDtype accepts.
template <typename F>
DIOPI_HD void WithForm(diopiDtype_t dtype, const F& f) {
  (void)(WithFormOf<float>(dtype, f) || WithFormOf<double>(dtype, f) || WithFormOf<int64_t>(dtype, f));
}

// Element `offset` (counted in elements) of `base`. The dtype is one that CheckDtype accepts.
template <typename C>
DIOPI_HD C LoadElement(const void* base, diopiDtype_t dtype, int64_t offset) {
  C x = C(0);
  WithForm(dtype,
           [&](auto form) { x = form.template Read<C>(Peek<typename decltype(form)::Type>(base, offset)); });
  return x;
}
template <typename C>
DIOPI_HD void StoreElement(void* base, diopiDtype_t dtype, int64_t offset, C x) {
  WithForm(dtype, [&](auto form) { Poke(base, offset, form.Written(x)); });
}

// Elements `offset` to `offset` + 3 of aligned memory, `offset` a multiple of 4, of a dtype that C stands
// for.
template <typename C>
DIOPI_HD Four<C> LoadFour(const void* base, diopiDtype_t dtype, int64_t offset) {
  Four<C> x = {};
  WithFormOf<C>(dtype, [&](auto form) {
    const auto stored = Peek<Four<typename decltype(form)::Type>>(base, offset / 4);
    for (int i = 0; i < 4; ++i) x.at[i] = form.template Read<C>(stored.at[i]);
  });
  return x;
}
template <typename C>
DIOPI_HD void StoreFour(void* base, diopiDtype_t dtype, int64_t offset, const Four<C>& x) {
  WithFormOf<C>(dtype, [&](auto form) {
    Four<typename decltype(form)::Type> stored;
    for (int i = 0; i < 4; ++i) stored.at[i] = form.Written(x.at[i]);
    Poke(base, offset / 4, stored);
  });
}

}  // namespace diopi::ops::cuda

#endif  // BASELINES_OPS_SUPPORT_CUDA_ELEMENT_H_
