// (case, references, what the device returned) -> verdict. Pure: no I/O, no clock, no state.
#ifndef BASELINES_COMPARE_COMPARE_H_
#define BASELINES_COMPARE_COMPARE_H_

#include <string>

#include "cases/core/tensor.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// Judges every output of the case that has a judge. `inputs` are needed by INDEX_OF and RANDOM. The verdict's
// outcome is PASS or FAIL (HARNESS_ERROR when a reference is missing); reason, outputs, dtype, function and
// case fields are filled.
v1::Verdict CompareCase(const v1::Case& c, const TensorMap& inputs, const TensorMap& references,
                        const TensorMap& actual);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_COMPARE_H_
