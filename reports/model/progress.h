// The progress of a run.
#ifndef REPORTS_MODEL_PROGRESS_H_
#define REPORTS_MODEL_PROGRESS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "reports/model/report.h"
#include "server/store/queries.h"

namespace diopi::reports {

struct Progress {
  std::string run_id;
  v1::RunState state = v1::RUN_STATE_UNSPECIFIED;
  int64_t cases = 0;
  int64_t done = 0;
  OutcomeCounts outcomes;
  int64_t cursor = 0;                         // of the newest verdict, for the next call's `since`
  std::vector<server::RecentVerdict> recent;  // after `since`, newest first, at most 20
  // From the newest 256 verdicts until now; nullopt when the run is over, or when they came within two
  // seconds (times are kept in whole seconds).
  std::optional<double> cases_per_s;
  std::optional<double> left_s;
};

absl::StatusOr<Progress> LoadProgress(server::Queries& queries, const std::string& run_id, int64_t since,
                                      absl::Time now);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_PROGRESS_H_
