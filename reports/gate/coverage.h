// Whether a run covers less than the floor or the reference run says.
#ifndef REPORTS_GATE_COVERAGE_H_
#define REPORTS_GATE_COVERAGE_H_

#include <vector>

#include "reports/gate/gate.h"

namespace diopi::reports {

// Functions that are no longer implemented or called, and cases that are no longer there. What an unexpired
// skip line names does not count; nor, with `partial`, does what the run leaves out.
std::vector<GateFinding> JudgeCoverage(const GateInput& input, const GateOptions& options);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_COVERAGE_H_
