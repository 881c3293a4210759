// Elements of one type as elements of another, with what is lost on the way.
#ifndef IMPL_LOADER_ADAPTOR_CONVERT_H_
#define IMPL_LOADER_ADAPTOR_CONVERT_H_

#include <cstdint>
#include <string>

#include "cases/base/dtype.h"

namespace diopi::loader {

struct Conversion {
  int64_t elements = 0;
  // Values that the other type cannot hold: integers out of its range or, in a floating type, not exact;
  // finite numbers that become infinite; fractions and what is not finite in an integer type. They are stored
  // modulo 2^k (0 where they are no integers), and counted.
  int64_t lost = 0;
  int64_t first_lost = -1;
  std::string first_text;  // the value
  int64_t rounded = 0;     // floating values that were rounded
};

// False for pairs that are not converted: complex numbers other than complex64 and complex128 into each
// other, and what has no elements of a known kind.
bool CanConvert(Dtype from, Dtype to);

// Dense arrays of `elements`; no alignment is needed.
Conversion Convert(Dtype from, const void* source, Dtype to, void* target, int64_t elements);

}  // namespace diopi::loader

#endif  // IMPL_LOADER_ADAPTOR_CONVERT_H_
