// Converts elements of one type to another, and counts what is lost.
#ifndef IMPL_LOADER_ADAPTOR_CONVERT_H_
#define IMPL_LOADER_ADAPTOR_CONVERT_H_

#include <cstdint>
#include <string>

#include "cases/base/dtype.h"

namespace diopi::loader {

struct Conversion {
  int64_t elements = 0;
  // Counts values that the other type cannot hold: integers outside its range or, in a floating type, not
  // exact; finite numbers that become infinite; fractions and non-finite values in an integer type. They are
  // stored modulo 2^k, or as 0 where they are not integers.
  int64_t lost = 0;
  int64_t first_lost = -1;
  std::string first_text;  // the value
  int64_t rounded = 0;     // floating values that were rounded
};

// False for pairs that cannot be converted: complex numbers, except between complex64 and complex128, and
// unknown dtypes.
bool CanConvert(Dtype from, Dtype to);

// Dense arrays of `elements`; no alignment is needed.
Conversion Convert(Dtype from, const void* source, Dtype to, void* target, int64_t elements);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_ADAPTOR_CONVERT_H_
