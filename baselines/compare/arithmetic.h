// Infers the arithmetic of a failed output from the size and the direction of all its errors.
#ifndef BASELINES_COMPARE_ARITHMETIC_H_
#define BASELINES_COMPARE_ARITHMETIC_H_

#include "baselines/compare/expect.h"
#include "baselines/compare/oracle.h"

namespace diopi::baselines {

// That results are not rounded to nearest, or, where all errors together have the size of an arithmetic that
// the device did not declare (RMS 0.2 to 2.5 of its noise, and every element passes under it), that one.
// Nothing when none is certain. Reads the output again.
Remark HowComputed(const Job& job, const OutputOracle& oracle, const Tally& tally);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_ARITHMETIC_H_
