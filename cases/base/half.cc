#include "cases/base/half.h"

#include <bit>

namespace diopi {
namespace {

constexpr uint64_t kImplicitBit = uint64_t{1} << 52;

// `mantissa` stored bits below an exponent field that fills the rest of 15 bits.
uint16_t Round(double value, int mantissa) {
  const auto bits = std::bit_cast<uint64_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 63) << 15);
  const auto field = static_cast<int>((bits >> 52) & 0x7ff);
  const uint64_t fraction = bits & (kImplicitBit - 1);
  const uint64_t infinity = ((uint64_t{1} << (15 - mantissa)) - 1) << mantissa;
  if (field == 0x7ff) {
    const uint64_t quiet = fraction == 0 ? 0 : uint64_t{1} << (mantissa - 1);
    return static_cast<uint16_t>(sign | infinity | quiet);
  }
  if (field == 0) return sign;  // float64 subnormals are below half of the smallest 16-bit one
  const int min_exponent = 2 - (1 << (14 - mantissa));
  const int exponent = field - 1023;
  int shift = 52 - mantissa;
  if (exponent < min_exponent) shift += min_exponent - exponent;
  if (shift > 54) shift = 54;
  const uint64_t significand = fraction | kImplicitBit;
  uint64_t quotient = significand >> shift;
  const uint64_t rest = significand & ((uint64_t{1} << shift) - 1);
  const uint64_t half = uint64_t{1} << (shift - 1);
  if (rest > half || (rest == half && (quotient & 1) != 0)) ++quotient;
  // The implicit bit, and a carry out of the mantissa, add one to the exponent field.
  if (exponent > min_exponent) quotient += static_cast<uint64_t>(exponent - min_exponent) << mantissa;
  if (quotient > infinity) quotient = infinity;
  return static_cast<uint16_t>(sign | quotient);
}

double Widen(uint16_t bits, int mantissa) {
  const uint64_t sign = static_cast<uint64_t>(bits >> 15) << 63;
  const int max_field = (1 << (15 - mantissa)) - 1;
  const int field = (bits & 0x7fff) >> mantissa;
  const auto fraction = static_cast<uint64_t>(bits & ((1 << mantissa) - 1));
  const int bias = max_field / 2;
  if (field == max_field) {
    return std::bit_cast<double>(sign | (uint64_t{0x7ff} << 52) | (fraction << (52 - mantissa)));
  }
  if (field == 0) {
    const auto scale = std::bit_cast<double>(static_cast<uint64_t>(1023 + 1 - bias - mantissa) << 52);
    const double magnitude = static_cast<double>(fraction) * scale;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<double>(sign | (static_cast<uint64_t>(field - bias + 1023) << 52) |
                               (fraction << (52 - mantissa)));
}

}  // namespace

uint16_t DoubleToFloat16(double value) {
  return Round(value, 10);
}
uint16_t DoubleToBfloat16(double value) {
  return Round(value, 7);
}
double Float16ToDouble(uint16_t bits) {
  return Widen(bits, 10);
}
double Bfloat16ToDouble(uint16_t bits) {
  return Widen(bits, 7);
}

}  // namespace diopi
