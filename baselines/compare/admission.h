// Admission of a case: a reference that fails its own case must not judge any library.
#ifndef BASELINES_COMPARE_ADMISSION_H_
#define BASELINES_COMPARE_ADMISSION_H_

#include <string>

#include "baselines/compare/compare.h"
#include "cases/base/tensor.h"
#include "diopi/v1/case.pb.h"

namespace diopi::baselines {

// Judges the device reference (every KEY.device of `references`) against the oracle, by the same gates as any
// device, under the contracts declared for it in `options`. Empty: it passes, or the baseline has none.
// Otherwise the reason for a quarantine: "oracle/contract conflict: out: 3 of 8 elements differ, ...".
std::string QuarantineReason(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                             const CompareOptions& options);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_ADMISSION_H_
