// One case across the runs of a chip: since when it has failed, and whether it is flaky.
#ifndef REPORTS_MODEL_HISTORY_H_
#define REPORTS_MODEL_HISTORY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// `points`: oldest first.
v1::History BuildHistory(const std::string& case_id, const std::string& chip,
                         const std::vector<server::CasePoint>& points);

// NotFound when no run of the chip has a verdict on the case. Reads the newest `limit` runs; 0: all.
absl::StatusOr<v1::History> LoadHistory(server::Queries& queries, const std::string& case_id,
                                        const std::string& chip, int limit = 0);

// Searches the newest `runs` runs of the chip; returns at most `limit` cases, most changes first. Examines
// the 2 * `limit` cases of each library that failed intermittently most often.
absl::StatusOr<std::vector<v1::FlakyCase>> FindFlaky(server::Queries& queries, const std::string& chip,
                                                     int runs, size_t limit);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_HISTORY_H_
