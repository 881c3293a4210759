// The measured performance of runs, from the results database.
#ifndef REPORTS_PERFORMANCE_LOAD_H_
#define REPORTS_PERFORMANCE_LOAD_H_

#include <string>

#include "absl/status/statusor.h"
#include "diopi/v1/performance.pb.h"
#include "reports/model/answer.h"
#include "reports/performance/comparison.h"
#include "reports/performance/performance.h"
#include "server/store/queries.h"

namespace diopi::reports {

// FindMeasuredRun by id alone (empty or "latest": the newest).
absl::StatusOr<server::RunFacts> FindMeasuredRun(server::Queries& queries, const std::string& run_id);

// `spec`: the chip's technical specification, whose peak rates bound the times; null: the rates that the run
// measured. Loads the catalog's models where the run has a model's calls.
absl::StatusOr<PerformanceReport> ReportOf(const v1::RunMeasurements& run, const v1::ChipSpec* spec,
                                           const ReferenceTimes& reference);
absl::StatusOr<PerformanceReport> LoadPerformance(server::Queries& queries, const server::RunFacts& run,
                                                  const v1::ChipSpec* spec, const ReferenceTimes& reference);

// The times of a run as a reference device's.
ReferenceTimes ReferenceOf(const v1::RunMeasurements& run);

// What became slower or faster in `after`, beyond the tolerated factor. Runs of one chip have what all calls
// share divided out.
Comparison ComparisonOf(const v1::RunMeasurements& before, const v1::RunMeasurements& after,
                        double tolerance);
absl::StatusOr<Comparison> LoadComparison(server::Queries& queries, const server::RunFacts& before,
                                          const server::RunFacts& after, double tolerance);

}  // namespace diopi::reports

#endif  // REPORTS_PERFORMANCE_LOAD_H_
