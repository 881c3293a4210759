// The ways in which one output is judged. Each fills `stats` (which comes with key, dtype, shape and ok set)
// and returns false only when the references are unusable, with the reason in `findings->harness_error`.
#ifndef BASELINES_COMPARE_GATES_H_
#define BASELINES_COMPARE_GATES_H_

#include <string>
#include <vector>

#include "baselines/compare/expect.h"
#include "cases/base/tensor_view.h"
#include "diopi/v1/verdict.pb.h"

namespace diopi::baselines {

// What a gate gets: nothing is measured yet.
v1::OutputStats NewStats(const JudgedOutput& output, const TensorView& actual);

// EXACT, gate X: bit for bit. NaN equals NaN whatever its payload, -0 is not +0, a bool is the byte 0 or 1.
bool JudgeExact(const Job& job, v1::OutputStats* stats, Findings* findings);

// MATH, ACCUMULATION, COMPOSITION. Gate P: rule.h. Over the whole output:
//   R: rms z <= 2 (1 + 3/sqrt G) (1 + kf) max(1, the device reference's)      G: groups.h
//   B: over m >= 64 elements whose rounding shows, |mean z| and |mean z sgn r| <= max(1/2 + 6/sqrt m, 2 x the
//      device reference's); not where kf > 0, as tables may be biased
//   X: where no order of summation rounds (KEY.exact), every element is RN_T(r); the sign of zero is free,
//      as it depends on what a sum starts with
// Under native16, B looks at all elements, and an overflow or a bias of all elements that a real 16-bit
// evaluation has too is no failure (oracle.h). kf is the rule's for float32 tables; 16-bit types are computed
// in float32 and rounded once, so for R and B it is 0 there (for P it becomes the quarter of an ulp that
// every operator has).
bool JudgePointwise(const Job& job, v1::OutputStats* stats, Findings* findings);

// INDEX_OF, gate X: the integers pick, out of the input along the dimension, what the reference picks.
bool JudgePicks(const Job& job, v1::OutputStats* stats, Findings* findings);

// Whether integers that differ from the reference's pick the same values out of the input named "input" along
// the attribute "dim": a tie that was broken differently.
bool PicksEqualValues(const Job& job, const std::vector<int64_t>& places);

// UNORDERED, gate X: rows (dimension 0) of both sides sorted by their bytes, then bit for bit.
bool JudgeUnordered(const Job& job, v1::OutputStats* stats, Findings* findings);

// RANDOM, gate RANDOM: by distribution, each check with a false alarm rate of at most 1e-7.
bool JudgeRandom(const Job& job, v1::OutputStats* stats, Findings* findings);

}  // namespace diopi::baselines

#endif  // BASELINES_COMPARE_GATES_H_
