// The chips that have runs, each with its newest run and where it comes from.
#ifndef REPORTS_MODEL_CHIPS_H_
#define REPORTS_MODEL_CHIPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/model/heat.h"
#include "reports/model/history.h"
#include "reports/model/run_summary.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs a trend, a chip's page and the search for flaky cases go back.
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

struct ChipOverview {
  std::string chip;
  int64_t runs = 0;
  RunSummary latest;              // the newest run, whatever its state
  std::vector<TrendPoint> trend;  // oldest first, at most kTrendRuns, without runs that have no verdict
};

// By name.
absl::StatusOr<std::vector<ChipOverview>> LoadChips(server::Queries& queries);

struct ChipDetail {
  std::string chip;
  RunSummary latest;
  std::vector<RunSummary> runs;  // newest first, at most kTrendRuns
  Heat heat;                     // of the newest run that has verdicts
  std::vector<FlakyCase> flaky;
};

// NotFound names the chips that there are.
absl::StatusOr<ChipDetail> LoadChip(server::Queries& queries, const std::string& chip);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_CHIPS_H_
