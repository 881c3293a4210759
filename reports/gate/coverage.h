// Checks whether a run covers less than the floor or the reference run.
#ifndef REPORTS_GATE_COVERAGE_H_
#define REPORTS_GATE_COVERAGE_H_

#include <vector>

#include "reports/gate/gate.h"

namespace diopi::reports {

// Finds functions that are no longer implemented or called, and cases that no longer exist. Ignores those
// that an unexpired skip line names and, with `partial`, those that the run leaves out.
std::vector<GateFinding> JudgeCoverage(const GateInput& input, const GateOptions& options);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_COVERAGE_H_
