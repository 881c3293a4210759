// Which results each line of a file of expectations is about.
#ifndef REPORTS_GATE_LINE_MATCHES_H_
#define REPORTS_GATE_LINE_MATCHES_H_

#include <cstddef>
#include <vector>

#include "reports/gate/expectations.h"
#include "reports/model/report.h"

namespace diopi::reports {

// By line of `expectations->cases`: the indices into `run.results` that its glob matches, rising. Nothing for
// null.
std::vector<std::vector<size_t>> MatchLines(const Expectations* expectations, const RunReport& run);

}  // namespace diopi::reports

#endif  // REPORTS_GATE_LINE_MATCHES_H_
