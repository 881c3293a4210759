// What a report says about one run, as plain structs: rows of the results database in, figures out.
#ifndef REPORTS_MODEL_REPORT_H_
#define REPORTS_MODEL_REPORT_H_

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "reports/model/failure_groups.h"
#include "server/store/database.h"

namespace diopi::reports {

// Verdicts were reached through the adaptor (device profile, --four-bytes, --nhwc).
inline constexpr char kAdaptorBadge[] = "adaptor";
// The badge that is observed, not declared.
inline constexpr char kFlushBadge[] = "ftz";

using OutcomeCounts = std::map<v1::Outcome, int64_t>;

// Coverage, in functions. The headline is `passing` of `abi_functions`: what a library merely exports says
// nothing about it. Always shown beside Correctness.
struct Coverage {
  int64_t abi_functions = 0;  // 538
  int64_t implemented = 0;    // exported, and not always answered with NoImplement; shown as "exported"
  int64_t selected = 0;       // functions the run's cases call
  int64_t with_cases = 0;     // functions of which the suite has cases: no more can be tested
  int64_t tested = 0;         // of these, with at least one case in which the library was called
  int64_t passing = 0;        // of these, where every such case passed
};

// Correctness: how much of what was called is right. Only `pass` counts as pass.
struct Correctness {
  int64_t called = 0;
  int64_t passed = 0;
};

struct OperatorRow {
  std::string op;
  int64_t cases = 0;
  int64_t passed = 0;
  int64_t failed = 0;  // IsFailure
  int64_t not_implemented = 0;
  int64_t other = 0;  // the rest: unsupported_dtype, skipped, waived, harness_error
};

// What the public harness's rule says of one verdict's outputs: |out - ref| <= atol + rtol |ref|, 0.1 % may
// miss. It never decides; users who come from it see both.
struct PublicVerdict {
  bool pass = true;
  // Of the worst output, 0 to 1; NaN: none was compared with a reference.
  double mismatch_ratio = std::numeric_limits<double>::quiet_NaN();
};
// Nothing where no numbers were judged.
std::optional<PublicVerdict> PublicVerdictOf(const v1::Verdict& verdict);

// Our verdicts beside the public rule's.
struct PublicRule {
  int64_t judged = 0;        // verdicts with numbers that passed or failed
  int64_t ours_alone = 0;    // of these: we fail, it passes
  int64_t theirs_alone = 0;  // of these: we pass, it fails
};

// A waiver of the run's device profile, and what it did.
struct WaiverRow {
  v1::RunProfile::Waiver waiver;
  int64_t cases = 0;  // verdicts that it made `waived`
};

// What a contract that the device does not declare would change.
struct ContractEffect {
  std::string contract;
  int64_t cases = 0;                            // failures that would pass under it alone
  std::map<v1::Dtype::Code, int64_t> by_dtype;  // the same
};

struct RunReport {
  v1::RunInfo run;
  std::string data_folder;  // where its results and baselines are, absolute; set by whoever knows it
  OutcomeCounts outcomes;
  Coverage coverage;
  Correctness correctness;
  std::vector<OperatorRow> operators;   // by name
  std::vector<v1::Verdict> results;     // in case order
  std::vector<std::string> references;  // the provenances judged by, each once
  // Whose outputs the chip was graded against: "Acme 2.1". Several when the baselines of operators differ.
  std::vector<std::string> device_references;
  // What the figures must never be shown without: the contracts the device declares, and "ftz" when subnormal
  // results were seen flushed to zero.
  std::vector<std::string> badges;
  std::vector<WaiverRow> waivers;          // all of the profile, those that have expired included
  int64_t adapted = 0;                     // verdicts that were reached through the adaptor
  int64_t widened = 0;                     // verdicts whose tolerance a contract widened
  int64_t wrong_numbers = 0;               // verdicts whose numbers are wrong, OUTCOME_FAIL
  std::vector<ContractEffect> would_pass;  // of these; the most effective contract first
  PublicRule public_rule;
  std::vector<FailureGroup> failures;  // by cause, the largest group first
  std::string partial;                 // why the run does not stand for its chip; empty: it is complete
  int64_t cases = 0;                   // in the run
  int64_t missing = 0;                 // of these, without a verdict yet
};

// Of the built-in suite, or of the run where that has more (a user's own cases).
int64_t FunctionsWithCases(int64_t selected);

// The figures of a run. `run.cases` may be 0 when unknown: then the results are taken as all there are.
RunReport BuildReport(v1::RunInfo run, std::vector<v1::Verdict> results);

// From the database; `run_id` may be "latest". Errors are the database's.
absl::StatusOr<RunReport> LoadReport(server::Database& database, const std::string& run_id);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_REPORT_H_
