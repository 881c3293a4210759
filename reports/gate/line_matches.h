// Finds the results that each line of an expectations file matches.
#ifndef REPORTS_GATE_LINE_MATCHES_H_
#define REPORTS_GATE_LINE_MATCHES_H_

#include <cstddef>
#include <vector>

#include "reports/gate/expectations.h"
#include "reports/model/report.h"

namespace diopi::reports {

// For each line of `expectations->cases`, the indices into `run.results` that its glob matches, in ascending
// order. Empty for null.
std::vector<std::vector<size_t>> MatchLines(const Expectations* expectations, const RunReport& run);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_LINE_MATCHES_H_
