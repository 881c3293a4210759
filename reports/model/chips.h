// The chips that have runs, each with its newest run and its trend.
#ifndef REPORTS_MODEL_CHIPS_H_
#define REPORTS_MODEL_CHIPS_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/model/heat.h"
#include "reports/model/history.h"
#include "reports/model/run_summary.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs a trend, a chip's page and the search for flaky cases cover.
inline constexpr int kTrendRuns = 50;

// Calls `visit` for the complete runs among those of the filter, newest first, until it returns false.
absl::Status VisitCompleteRuns(server::Queries& queries, const server::RunFilter& filter,
                               const std::function<bool(v1::RunSummary)>& visit);

// The newest complete runs of the range, newest first, at most `limit`, which is not 0. Any number of partial
// runs may come between them.
absl::StatusOr<std::vector<v1::RunSummary>> CompleteRuns(server::Queries& queries, const std::string& chip,
                                                         size_t limit, const server::TimeRange& range = {});

// The chips of the runs in the range, sorted by name.
absl::StatusOr<v1::ChipsPage> LoadChips(server::Queries& queries, const server::TimeRange& range = {});

// NotFound names the existing chips.
absl::StatusOr<v1::ChipPage> LoadChip(server::Queries& queries, const std::string& chip);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_CHIPS_H_
