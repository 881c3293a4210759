// Compares two runs: which cases differ, and how. A case whose outcome differs has one kind of change. A case
// with the same outcome is the same, or has a change by error, by time, or both: then it has a row for each.
#ifndef REPORTS_MODEL_DIFF_H_
#define REPORTS_MODEL_DIFF_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "reports/model/run_summary.h"
#include "server/store/queries.h"

namespace diopi::reports {

// All kinds, in display order.
std::vector<v1::CompareKind> CompareKinds();

struct DiffOptions {
  // Worse or better: one run's max_z (errors in units of the reference's rounding noise) is more than this
  // times the other's. Two correct libraries that sum in different orders differ by about 1.4, the ratio of
  // the maxima of two such samples.
  double error_factor = 2;
  // And the larger is more than this: below one noise unit, an error cannot be distinguished from rounding.
  double error_floor_z = 1;
  // Slower or faster: one side's median time is more than this times the other's. A run has one time per
  // case, which varies by a fifth from run to run on an idle machine and by any factor on a busy one.
  double time_factor = 1.5;
  // And they differ by more than this: launch and clock take that much.
  double time_floor_us = 20;
  // And each side has the times of at least this many runs, none within the range of the other's: with three
  // runs each of two equal libraries the chance of that is 1 in 10, before factor and floor.
  int64_t time_runs = 3;
};

// How long each case's calls took in the runs of one variant on one host.
struct CallTimes {
  int64_t runs = 0;
  std::map<std::string, std::vector<double>> us;  // by case id, in no order
};

// Leaves out the comparison in words. CallTimes without runs are not compared: both sides are the same
// library on the same host.
v1::Compare BuildDiff(v1::RunSummary a, v1::RunSummary b, const std::vector<server::CaseRow>& cases_a,
                      const std::vector<server::CaseRow>& cases_b, const CallTimes& times_a,
                      const CallTimes& times_b, const DiffOptions& options);

// Takes the times from the newest finished runs with the variant and host of each side.
absl::StatusOr<v1::Compare> LoadDiff(server::Queries& queries, const std::string& run_a,
                                     const std::string& run_b, const DiffOptions& options = {});

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_DIFF_H_
