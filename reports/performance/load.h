// The measured performance of runs, from the results database.
#ifndef REPORTS_PERFORMANCE_LOAD_H_
#define REPORTS_PERFORMANCE_LOAD_H_

#include <string>

#include "absl/status/statusor.h"
#include "reports/performance/comparison.h"
#include "reports/performance/performance.h"
#include "server/store/queries.h"

namespace diopi::reports {

// The latest run that measured its calls (`run_id` empty or "latest"), or the run with this id. NotFound when
// there is no such run, FailedPrecondition when it measured nothing.
absl::StatusOr<server::RunFacts> FindMeasuredRun(server::Queries& queries, const std::string& run_id);

// The times of a run as a reference device's.
absl::StatusOr<ReferenceTimes> LoadReferenceTimes(server::Queries& queries, const std::string& run_id);

// `spec`: the chip's technical specification, whose peak rates bound the times; null: the rates that the run
// measured. Loads the catalog's models where the run has a model's calls.
absl::StatusOr<PerformanceReport> LoadPerformance(server::Queries& queries, const server::RunFacts& run,
                                                  const v1::ChipSpec* spec, const ReferenceTimes& reference);

// What became slower or faster in `after`, beyond the tolerated factor. Runs of one chip have what all calls
// share divided out.
absl::StatusOr<Comparison> LoadComparison(server::Queries& queries, const server::RunFacts& before,
                                          const server::RunFacts& after, double tolerance);

}  // namespace diopi::reports

#endif  // REPORTS_PERFORMANCE_LOAD_H_
