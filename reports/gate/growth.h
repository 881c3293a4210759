// Whether functions became slower or less accurate than in the reference run, with evidence (evidence.h).
#ifndef REPORTS_GATE_GROWTH_H_
#define REPORTS_GATE_GROWTH_H_

#include <vector>

#include "reports/gate/gate.h"

namespace diopi::reports {

// A function's pairs are its cases that pass in both: of each the fastest call of all runs of the same
// library, as noise only adds to a time (J. Chen, J. Revels, "Robust benchmarking in noisy environments",
// arXiv:1608.04295). Findings only from cases with calls in two runs or more on both sides; what shows in one
// run alone is a note. With five functions or more, what all of them share (the median ratio of the run,
// where above 1) is one finding of its own and is divided out of each function's.
std::vector<GateFinding> JudgeTime(const GateInput& input, const GateOptions& options);

// A function's pairs are the outputs of its cases that were judged in both: the root mean square error in
// noise units (OutputStats.rms_z), not less than kErrorFloor.
std::vector<GateFinding> JudgeErrors(const GateInput& input, const GateOptions& options);

// A tenth of the noise that a correct computation has: growth below it is none.
inline constexpr double kErrorFloor = 0.1;

}  // namespace diopi::reports

#endif  // REPORTS_GATE_GROWTH_H_
