// The ways in which one output is judged. Each fills `stats` (which comes with key, dtype, shape and ok set)
// and returns false only when the references are of no use, with the reason in `*harness_error`.
#ifndef BASELINES_COMPARE_GATES_H_
#define BASELINES_COMPARE_GATES_H_

#include <string>

#include "baselines/compare/expect.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// EXACT, gate X: bit for bit. NaN equals NaN whatever its payload, -0 is not +0, a bool is the byte 0 or 1.
bool JudgeExact(const Job& job, v1::OutputStats* stats, std::string* harness_error);

// MATH, ACCUMULATION, COMPOSITION, gate P: rule.h.
bool JudgePointwise(const Job& job, v1::OutputStats* stats, std::string* harness_error);

// INDEX_OF, gate X: the integers pick, out of the input along the dimension, what the reference picks.
bool JudgePicks(const Job& job, v1::OutputStats* stats, std::string* harness_error);

// UNORDERED, gate X: rows (dimension 0) of both sides sorted by their bytes, then bit for bit.
bool JudgeUnordered(const Job& job, v1::OutputStats* stats, std::string* harness_error);

// RANDOM, gate RANDOM: by distribution, each check with a false alarm rate of at most 1e-7.
bool JudgeRandom(const Job& job, v1::OutputStats* stats, std::string* harness_error);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_GATES_H_
