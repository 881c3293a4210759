// Indices of large calls, judged where they lie (gates.h: INDEX_OF).
#ifndef BASELINES_COMPARE_LARGE_PICKS_H_
#define BASELINES_COMPARE_LARGE_PICKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "baselines/compare/expect.h"
#include "baselines/compare/judging.h"
#include "cases/base/tensor_view.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// Judges an output whose judge is INDEX_OF, of the case's shape. Every index must lie in range, pick the
// value that the library returns beside it, and none twice where that is not allowed; at `places` it must
// pick what `expected`, the reference's indices there, pick. `stats` comes with key, dtype, shape and ok set.
// False where the input is not among the inputs, with the reason in `findings`.
bool JudgeLargePicks(const v1::Case& c, const JudgedOutput& output, const TensorViews& inputs,
                     const HostTensor& expected, const std::vector<int64_t>& places,
                     const TensorViews& actual, v1::OutputStats* stats, Findings* findings);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_LARGE_PICKS_H_
