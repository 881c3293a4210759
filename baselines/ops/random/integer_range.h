// Which integers random_ draws. Shared by the CPU and the NVIDIA reference.
#ifndef BASELINES_OPS_RANDOM_INTEGER_RANGE_H_
#define BASELINES_OPS_RANDOM_INTEGER_RANGE_H_

#include <cstdint>
#include <limits>

#include "baselines/ops/random/mantissa_bits.h"
#include "baselines/ops/support/dtype.h"

namespace diopi::ops {

// from ... *to - 1; without `to` up to the type's greatest integer, or the last one up to which a floating
// type has them all.
struct IntegerRange {
  int64_t from = 0;
  uint64_t count = 0;  // 0: 2^64

  IntegerRange(diopiDtype_t dtype, int64_t start, const int64_t* to) : from(start) {
    const int64_t last = to != nullptr ? *to - 1 : Greatest(dtype);
    Check(from <= last, "from (", from, ") must be less than to (", last, " + 1)");
    count = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  }
  DIOPI_HD int64_t At(uint64_t i) const { return static_cast<int64_t>(static_cast<uint64_t>(from) + i); }

 private:
  static int64_t Greatest(diopiDtype_t dtype) {
    if (IsFloating(dtype)) return int64_t{1} << MantissaBits(dtype);
    const int64_t bits = 8 * ElementSize(dtype) - (dtype == diopi_dtype_uint8 ? 0 : 1);
    return bits == 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  }
};

}  // namespace diopi::ops

#endif  // BASELINES_OPS_RANDOM_INTEGER_RANGE_H_
