// The figures of one run without its verdicts, for a line of a list or the head of a page.
#ifndef REPORTS_MODEL_RUN_SUMMARY_H_
#define REPORTS_MODEL_RUN_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "reports/model/completeness.h"
#include "reports/model/report.h"
#include "server/store/queries.h"

namespace diopi::reports {

v1::RunSummary Summarize(const server::RunRow& row);

// `run_id` may be "latest". Errors are the database's.
absl::StatusOr<v1::RunSummary> LoadSummary(server::Queries& queries, const std::string& run_id);
absl::StatusOr<v1::RunPage> LoadRun(server::Queries& queries, const std::string& run_id);
// Newest first.
absl::StatusOr<v1::RunsPage> LoadRuns(server::Queries& queries, const server::RunFilter& filter);

// Rows by operator, from tallies.
std::vector<v1::OperatorRow> OperatorRows(const std::vector<server::TallyRow>& tallies);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_RUN_SUMMARY_H_
