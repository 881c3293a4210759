// Random outputs of large calls, judged whole, where they lie.
#ifndef BASELINES_COMPARE_LARGE_RANDOM_H_
#define BASELINES_COMPARE_LARGE_RANDOM_H_

#include <string>

#include "baselines/compare/expect.h"
#include "baselines/compare/judging.h"
#include "cases/base/tensor_view.h"
#include "diopi/v1/case.pb.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// Judges an output whose judge is RANDOM, of the case's shape. `stats` comes with key, dtype, shape and ok
// set. False where the case lacks what its distribution needs, with the reason in `findings`.
bool JudgeLargeRandom(const v1::Case& c, const JudgedOutput& output, const TensorViews& inputs,
                      const TensorViews& actual, v1::OutputStats* stats, Findings* findings);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_LARGE_RANDOM_H_
