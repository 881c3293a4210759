// Element types of the ABI and the compute types that kernels run on.
//
//   float16, bfloat16, float32 -> float           noise64 -> Noise<double>
//   float64                    -> double          noise80 -> Noise<long double>
//   integers and bool          -> int64_t, arithmetic modulo 2^64 (see WrapAdd and friends)
#ifndef BASELINES_OPS_SUPPORT_DTYPE_H_
#define BASELINES_OPS_SUPPORT_DTYPE_H_

#include <cstdint>
#include <type_traits>

#include "baselines/ops/support/abi.h"
#include "baselines/ops/support/hd.h"
#include "baselines/ops/support/noise.h"
#include "baselines/ops/support/op.h"

namespace diopi::ops {

// Internal element types of the oracle (proto/diopi/v1/tensor.proto), beyond the ABI's own.
inline constexpr diopiDtype_t kNoise64 = static_cast<diopiDtype_t>(200);
inline constexpr diopiDtype_t kNoise80 = static_cast<diopiDtype_t>(201);

const char* DtypeName(diopiDtype_t dtype);
int64_t ElementSize(diopiDtype_t dtype);  // 0 for types without one

inline bool IsNoise(diopiDtype_t dtype) {
  return dtype == kNoise64 || dtype == kNoise80;
}
bool IsFloating(diopiDtype_t dtype);  // noise types included
inline bool IsBool(diopiDtype_t dtype) {
  return dtype == diopi_dtype_bool;
}
bool IsInteger(diopiDtype_t dtype);  // not bool

// PyTorch's promotion of two element types; a noise type wins over every other. FailDtype for complex ones.
diopiDtype_t Promote(diopiDtype_t a, diopiDtype_t b);

template <typename C>
inline constexpr bool kIsInteger = std::is_same_v<C, int64_t>;

// Calls f.template operator()<C>() with the compute type of `dtype`. FailDtype for dtypes outside the set.
// Typical: DispatchFloating(dtype, [&]<typename C>() { ... });
template <typename F>
void DispatchFloating(diopiDtype_t dtype, F&& f) {
  switch (static_cast<int>(dtype)) {
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
    case diopi_dtype_float32:
      return f.template operator()<float>();
    case diopi_dtype_float64:
      return f.template operator()<double>();
    case static_cast<int>(kNoise64):
      return f.template operator()<Noise<double>>();
    case static_cast<int>(kNoise80):
      return f.template operator()<Noise<long double>>();
    default:
      FailDtype("not implemented for '", DtypeName(dtype), "'");
  }
}

// Floating and integers, not bool.
template <typename F>
void DispatchNumeric(diopiDtype_t dtype, F&& f) {
  if (IsInteger(dtype)) return f.template operator()<int64_t>();
  DispatchFloating(dtype, f);
}

// Floating, integers and bool: for operators that move elements.
template <typename F>
void DispatchAny(diopiDtype_t dtype, F&& f) {
  if (IsBool(dtype)) return f.template operator()<int64_t>();
  DispatchNumeric(dtype, f);
}

// Integer arithmetic modulo 2^64; storing into a narrower type then wraps to it. Other types use their
// operators.
template <typename C>
DIOPI_HD C WrapAdd(const C& a, const C& b) {
  if constexpr (kIsInteger<C>)
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <typename C>
DIOPI_HD C WrapSub(const C& a, const C& b) {
  if constexpr (kIsInteger<C>)
    return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else
    return a - b;
}
template <typename C>
DIOPI_HD C WrapMul(const C& a, const C& b) {
  if constexpr (kIsInteger<C>)
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}
template <typename C>
DIOPI_HD C WrapNeg(const C& a) {
  if constexpr (kIsInteger<C>)
    return static_cast<int64_t>(uint64_t{0} - static_cast<uint64_t>(a));
  else
    return -a;
}

// A host scalar as a number: existing code keeps integers (stype up to 7) and bool in ival, the rest in fval.
// A value that a floating compute type cannot hold is Rounded.
bool ScalarIsFloating(const diopiScalar_t* scalar);
double ScalarAsDouble(const diopiScalar_t* scalar);
int64_t ScalarAsInt(const diopiScalar_t* scalar);  // truncates
template <typename C>
C ScalarAs(const diopiScalar_t* scalar) {
  if constexpr (kIsInteger<C>)
    return ScalarAsInt(scalar);
  else if (ScalarIsFloating(scalar))
    return Rounded<C>(static_cast<long double>(ScalarAsDouble(scalar)));
  else
    return Rounded<C>(static_cast<long double>(ScalarAsInt(scalar)));
}

// Small formats: round to nearest, ties to even, from any double; and back, exactly.
uint16_t ToFloat16(double x);
uint16_t ToBfloat16(double x);
float FromFloat16(uint16_t bits);
float FromBfloat16(uint16_t bits);

}  // namespace diopi::ops

#endif  // BASELINES_OPS_SUPPORT_DTYPE_H_
