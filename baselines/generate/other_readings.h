// What a case's readings (v1::Reading) need from the reference library besides the reference's own result.
#ifndef BASELINES_GENERATE_OTHER_READINGS_H_
#define BASELINES_GENERATE_OTHER_READINGS_H_

#include <cstdint>
#include <vector>

#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// ROUNDED_SCALARS: rounds the numbers in `args` to the case's dtype. False when that changes none of them.
bool RoundScalars(const v1::Reading& reading, v1::Case* c);

// SPREAD_NAN: every floating tensor with NaN wherever an element that differs from it only in `dims` is NaN
// or infinite. False when no element is.
bool SpreadNan(const v1::Reading& reading, TensorMap* tensors);

// SPREAD_NAN: uint8, 1 for each element of an output where `spread`, float64, computed from inputs after
// SpreadNan, is NaN in that element or in one that differs from it only in `dims`; all 0 for an output
// without these dimensions.
HostTensor SpreadMask(const v1::Reading& reading, const HostTensor& spread);

}  // namespace diopi::baselines

#endif  // BASELINES_GENERATE_OTHER_READINGS_H_
