// Bits of the two 16-bit floating types.
#ifndef CASES_BASE_HALF_H_
#define CASES_BASE_HALF_H_

#include <cstdint>

namespace diopi {

// Rounds to nearest, ties to even, once from float64. Overflow gives infinity, NaN a quiet NaN of the same
// sign. Subnormals are kept.
uint16_t DoubleToFloat16(double value);
uint16_t DoubleToBfloat16(double value);

// Exact.
double Float16ToDouble(uint16_t bits);
double Bfloat16ToDouble(uint16_t bits);

}  // namespace diopi

#endif  // CASES_BASE_HALF_H_
