// The figures of one run without its verdicts, for a line of a list or the head of a page.
#ifndef REPORTS_MODEL_RUN_SUMMARY_H_
#define REPORTS_MODEL_RUN_SUMMARY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"
#include "reports/model/completeness.h"
#include "reports/model/report.h"
#include "server/store/queries.h"

namespace diopi::reports {

struct RunSummary {
  server::RunFacts facts;
  int64_t cases = 0;  // in the run
  int64_t done = 0;   // of these, those with a verdict
  OutcomeCounts outcomes;
  Coverage coverage;
  Correctness correctness;
  std::vector<std::string> badges;      // as RunReport's
  std::vector<std::string> references;  // as RunReport's
  int64_t widened = 0;
  PublicRule public_rule;
  int64_t failed = 0;            // verdicts that IsFailure
  int64_t waivers_in_force = 0;  // verdicts with the outcome waived
  std::string partial;           // why the run does not stand for its chip; empty: it is complete
  std::string variant;           // VariantOf
};

RunSummary Summarize(const server::RunRow& row);

// A waiver that decided a verdict of this run, as described in the run's device profile.
struct Waiver {
  std::string case_id;
  std::string reason;         // the verdict's
  server::ReasonParts parts;  // of the reason
  std::string link;
  std::string expires;
};

struct RunDetail {
  RunSummary summary;
  v1::RunInfo info;                    // options and submission as stored
  std::vector<OperatorRow> operators;  // by name
  std::vector<Waiver> waivers;
  std::vector<server::DeviceRow> devices;  // by device
};

// `run_id` may be "latest". Errors are the database's.
absl::StatusOr<RunSummary> LoadSummary(server::Queries& queries, const std::string& run_id);
absl::StatusOr<RunDetail> LoadDetail(server::Queries& queries, const std::string& run_id);
// Newest first.
absl::StatusOr<std::vector<RunSummary>> LoadRuns(server::Queries& queries, const server::RunFilter& filter);

// Rows by operator, from tallies.
std::vector<OperatorRow> OperatorRows(const std::vector<server::TallyRow>& tallies);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_RUN_SUMMARY_H_
