// The arguments of arange.
#ifndef BASELINES_OPS_TENSOR_ARANGE_H_
#define BASELINES_OPS_TENSOR_ARANGE_H_

#include <cmath>
#include <cstdint>

#include "baselines/ops/support/dtype.h"

namespace diopi::ops {

// The number of elements from `start` up to, without, `end`. Fail when the step does not lead there.
inline int64_t ArangeLength(const diopiScalar_t* start, const diopiScalar_t* end, const diopiScalar_t* step) {
  const double from = ScalarAsDouble(start), to = ScalarAsDouble(end), by = ScalarAsDouble(step);
  Check(by != 0 && (by > 0 ? from <= to : from >= to), "step ", by, " does not lead from ", from, " to ", to);
  return static_cast<int64_t>(std::ceil((to - from) / by));
}

}  // namespace diopi::ops

#endif  // BASELINES_OPS_TENSOR_ARANGE_H_
