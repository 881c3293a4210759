// The contents of a report on one run, as plain structs computed from rows of the results database.
#ifndef REPORTS_MODEL_REPORT_H_
#define REPORTS_MODEL_REPORT_H_

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cases/base/outcome.h"
#include "diopi/v1/answers.pb.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "reports/model/failure_groups.h"
#include "server/store/database.h"

namespace diopi::reports {

// The adaptor converted tensors for some verdicts (device profile, --four-bytes, --nhwc).
inline constexpr char kAdaptorBadge[] = "adaptor";
// This badge is observed, not declared.
inline constexpr char kFlushBadge[] = "ftz";

using OutcomeCounts = std::map<v1::Outcome, int64_t>;
// The same, in an answer.
google::protobuf::RepeatedPtrField<v1::OutcomeCount> CountsOf(const OutcomeCounts& outcomes);

int64_t FailedCases(const OutcomeCounts& outcomes);
// Counts the run's cases of functions. Checks of the library as a whole that were judged do not count as
// asked, so that a library without a function is not called right.
v1::Correctness CorrectnessOf(int64_t called, int64_t passed, const OutcomeCounts& outcomes, int64_t cases);

// Tallies by function, without checks of the library as a whole.
using FunctionTallies = std::map<std::string, CallTally>;
FunctionTallies TallyFunctions(const std::vector<v1::Verdict>& results);

// Counts these cases of the row's operator.
void AddToRow(v1::Outcome outcome, int64_t cases, v1::OperatorRow* row);

// The verdict of the public harness's rule on one case's outputs: |out - ref| <= atol + rtol |ref| for all
// but 0.1 % of the elements. It never decides, but users who know it see both.
struct PublicVerdict {
  bool pass = true;
  // The worst output's, 0 to 1; NaN: no output was compared with a reference.
  double mismatch_ratio = std::numeric_limits<double>::quiet_NaN();
};
// Nullopt where no numbers were judged.
std::optional<PublicVerdict> PublicVerdictOf(const v1::Verdict& verdict);

// A waiver of the run's device profile, and its effect.
struct WaiverRow {
  v1::RunProfile::Waiver waiver;
  int64_t cases = 0;  // verdicts that it made `waived`
};

// The effect that a contract would have which the device does not declare.
struct ContractEffect {
  std::string contract;
  int64_t cases = 0;                            // failures that would pass under this contract alone
  std::map<v1::Dtype::Code, int64_t> by_dtype;  // the same, by dtype
};

struct RunReport {
  v1::RunInfo run;
  std::string data_folder;  // folder of its results and baselines, absolute; set by callers that know it
  OutcomeCounts outcomes;
  v1::Coverage coverage;
  v1::Correctness correctness;
  std::vector<v1::OperatorRow> operators;  // by name
  std::vector<v1::Verdict> results;        // in case order
  std::vector<std::string> references;     // the references' provenances, each once
  // The device references that the chip was graded against: "Acme 2.1". Several when the baselines of
  // operators differ.
  std::vector<std::string> device_references;
  // The badges without which the figures must not be shown: the contracts that the device declares, and "ftz"
  // when subnormal results were flushed to zero.
  std::vector<std::string> badges;
  std::vector<WaiverRow> waivers;          // all of the profile, including expired ones
  int64_t adapted = 0;                     // verdicts for which the adaptor converted tensors
  int64_t widened = 0;                     // verdicts whose tolerance a contract widened
  int64_t wrong_numbers = 0;               // verdicts with OUTCOME_FAIL
  std::vector<ContractEffect> would_pass;  // of `wrong_numbers`; the most effective contract first
  v1::PublicRule public_rule;
  std::vector<FailureGroup> failures;     // by cause, the largest group first
  std::string partial;                    // why the run does not stand for its chip; empty: it is complete
  int64_t cases = 0;                      // in the run
  int64_t missing = 0;                    // of these, those without a verdict yet
  server::StoredPerformance performance;  // set by LoadReport; empty: the run measured nothing
};

// The number for the built-in suite, or for the run where that has more (a user's own cases).
int64_t FunctionsWithCases(int64_t selected);

// The figures of a run. `run.cases` may be 0 when unknown: then the results count as complete.
RunReport BuildReport(v1::RunInfo run, std::vector<v1::Verdict> results);

// Reads the run from the database; `run_id` may be "latest". Errors are the database's.
absl::StatusOr<RunReport> LoadReport(server::Database& database, const std::string& run_id);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_REPORT_H_
