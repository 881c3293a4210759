// The chips that have runs, each with its newest run and its trend.
#ifndef REPORTS_MODEL_CHIPS_H_
#define REPORTS_MODEL_CHIPS_H_

#include <functional>
#include <optional>
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

// A run as a point of a trend.
struct TrendPoint {
  std::string run_id;
  std::string created;
  std::string variant;
  Correctness correctness;
  Coverage coverage;
  int64_t failed = 0;
};

// Calls `visit` for the complete runs among those of the filter, newest first, until it returns false.
absl::Status VisitCompleteRuns(server::Queries& queries, const server::RunFilter& filter,
                               const std::function<bool(RunSummary)>& visit);

// The newest complete runs of the range, newest first, at most `limit`, which is not 0. Any number of partial
// runs may come between them.
absl::StatusOr<std::vector<RunSummary>> CompleteRuns(server::Queries& queries, const std::string& chip,
                                                     size_t limit, const server::TimeRange& range = {});

struct ChipOverview {
  std::string chip;
  int64_t runs = 0;
  RunSummary latest;                   // the newest run, whatever its state
  std::optional<RunSummary> complete;  // the newest complete run, which stands for the chip, if any
  std::vector<TrendPoint> trend;       // only complete runs, oldest first, at most kTrendRuns
};

// By name; of the runs in the range.
absl::StatusOr<std::vector<ChipOverview>> LoadChips(server::Queries& queries,
                                                    const server::TimeRange& range = {});

struct ChipDetail {
  std::string chip;
  RunSummary latest;
  std::optional<RunSummary> complete;  // as in ChipOverview
  std::vector<RunSummary> runs;        // newest first, at most kTrendRuns, including partial runs
  Heat heat;                           // of `complete`, or else of the newest run that has verdicts
  std::vector<FlakyCase> flaky;
};

// NotFound names the existing chips.
absl::StatusOr<ChipDetail> LoadChip(server::Queries& queries, const std::string& chip);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_CHIPS_H_
