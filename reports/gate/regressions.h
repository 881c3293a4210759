// Tests whether functions became slower or less accurate than in the reference run (evidence.h).
#ifndef REPORTS_GATE_REGRESSIONS_H_
#define REPORTS_GATE_REGRESSIONS_H_

#include <vector>

#include "reports/gate/gate.h"

namespace diopi::reports {

// Functions whose calls both runs measured (diopi-agent --performance) are judged by these measurements
// (reports/performance/comparison.h). For the others, a function's pairs are its cases that pass in both
// runs. Each time is the fastest call in all runs of the same library, because noise only adds to a time (J.
// Chen, J. Revels, "Robust benchmarking in noisy environments", arXiv:1608.04295). Findings need calls in at
// least two runs on both sides; otherwise there is only a note. With five or more functions, a slowdown that
// all share (the run's median ratio, where above 1) is a finding of its own, and is divided out of each
// function's ratio.
std::vector<GateFinding> JudgeTime(const GateInput& input, const GateOptions& options);

// A function's pairs are the outputs of its cases that were judged in both runs: the root mean square error
// in noise units (OutputStats.rms_z), at least kErrorFloor.
std::vector<GateFinding> JudgeErrors(const GateInput& input, const GateOptions& options);

// A tenth of a correct computation's noise: growth below it does not count.
inline constexpr double kErrorFloor = 0.1;

}  // namespace diopi::reports

#endif  // REPORTS_GATE_REGRESSIONS_H_
