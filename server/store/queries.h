// The queries of dashboards, comparisons and histories, few of which need whole verdicts. database.h writes;
// these use a read-only connection of their own, so that (thanks to WAL) neither waits for the other. Each
// answer is the state of one moment.
//
// Cost: the totals and tallies of a run (RunTotals, TallyRow) are stored as soon as it is finished or
// aborted, and computed from its verdicts until then. README.md has the figures.
#ifndef SERVER_STORE_QUERIES_H_
#define SERVER_STORE_QUERIES_H_

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"
#include "diopi/v1/verdict.pb.h"
#include "server/store/labels.h"
#include "server/store/performance_rows.h"
#include "server/store/run_kind.h"

namespace diopi::server {

class Connection;
class Statement;

// Totals over the verdicts of a run. reports/model/report.h says what each figure means.
struct RunTotals {
  int64_t done = 0;  // verdicts
  std::map<v1::Outcome, int64_t> outcomes;
  // Correctness: verdicts of functions, without checks of the library that test no one function.
  int64_t called = 0;
  int64_t passed = 0;
  // Coverage, in functions.
  int64_t implemented = 0;
  int64_t selected = 0;
  int64_t tested = 0;
  int64_t passing = 0;
  int64_t flushed = 0;  // verdicts with subnormal results flushed to zero
  int64_t widened = 0;  // verdicts whose tolerance a contract widened
  // Our verdicts beside the public rule's.
  int64_t judged = 0;
  int64_t ours_alone = 0;
  int64_t theirs_alone = 0;
  std::vector<std::string> references;  // provenances that verdicts were judged by, each once

  bool operator==(const RunTotals&) const = default;
};

// The facts in a run's row, without its verdicts.
struct RunFacts {
  std::string run_id;
  std::string chip;
  std::string vendor_name;
  std::string impl_version;
  std::string dialect;
  std::string impl_sha256;
  std::string suite_hash;
  std::vector<std::string> contracts;    // as declared
  std::vector<std::string> environment;  // NAME=VALUE, of the device profile, in its order
  std::vector<std::string> adaptor;      // rules in words
  std::string impl_path;
  std::string agent_version;
  std::string host;
  v1::RunState state = v1::RUN_STATE_UNSPECIFIED;
  std::string created;   // RFC 3339, UTC
  std::string finished;  // empty: not yet
  int64_t cases = 0;     // covered
  // What was asked for: selection, shard_index, shard_count, exploration; and aborted, machine.
  v1::RunOptions scope;
  Labels labels;  // not filled for a CasePoint
};

struct RunRow {
  RunFacts facts;
  RunTotals totals;
};

// Runs that were created at `from` or later, and before `to`: RFC 3339, UTC, as the database writes them.
// Empty: no bound.
struct TimeRange {
  std::string from = {};
  std::string to = {};
};

struct RunFilter {
  std::optional<std::string> chip = std::nullopt;  // every chip; "" is the chip without a name
  int limit = 0;                                   // 0: all
  TimeRange range = {};
  RunKind kind = RunKind::kCases;
  std::optional<Labels::value_type> label = std::nullopt;  // that the run has
};

// A chip of which a run of cases has a verdict, in a range of time.
struct ChipRow {
  std::string chip;
  int64_t runs = 0;
  std::string latest;  // run id of the newest
};

// How many verdicts of a run are of one kind.
struct TallyRow {
  std::string op;
  std::string function;  // empty: a check of the library as a whole
  v1::Dtype::Code dtype = v1::Dtype::float32;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  int64_t cases = 0;
};

// How many verdicts come from one device; -1: the agent was given none.
struct DeviceRow {
  int64_t device_index = -1;
  int64_t cases = 0;
  int64_t passed = 0;
};

// What a reason is made of (cases/findings/describe.h); nothing where an agent up to 0.9 recorded a text
// alone.
struct ReasonParts {
  google::protobuf::RepeatedPtrField<v1::Finding> findings;
  v1::Finding cause;
};

// A verdict with its worst measurements over all its outputs. NaN: not measured.
struct CaseRow {
  std::string case_id;
  std::string case_hash;
  std::string op;
  std::string function;
  v1::Dtype::Code dtype = v1::Dtype::float32;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  std::string reason;  // its first line
  ReasonParts parts;   // of the reason
  double call_us = std::numeric_limits<double>::quiet_NaN();
  double max_ulp = std::numeric_limits<double>::quiet_NaN();  // ulps of the output's dtype
  double max_z = std::numeric_limits<double>::quiet_NaN();    // units of the reference's noise
  double rms_z = std::numeric_limits<double>::quiet_NaN();
  double max_abs = std::numeric_limits<double>::quiet_NaN();
  double max_rel = std::numeric_limits<double>::quiet_NaN();
  double mismatch_ratio = std::numeric_limits<double>::quiet_NaN();  // mismatches / elements, 0 to 1
  std::string grade;                // "A" to "D" beside the device reference; empty: there is none
  std::optional<bool> public_pass;  // whether the public rule is met; unset where no numbers were judged
  std::string waiver;               // outcome `waived`: the id of the waiver in the run's profile
  std::string gates;                // those that failed, over all outputs: "P,X"
  int device_index = -1;
};

// CaseRow's measurements of the worst output; each is also a column of the API's list of cases.
struct WorstFigure {
  const char* name;
  double CaseRow::*value;
  double (*of)(const v1::OutputStats& output);
};
inline constexpr WorstFigure kWorstFigures[] = {
    {"max_ulp", &CaseRow::max_ulp, [](const v1::OutputStats& output) { return output.max_ulp(); }},
    {"max_z", &CaseRow::max_z, [](const v1::OutputStats& output) { return output.max_z(); }},
    {"rms_z", &CaseRow::rms_z, [](const v1::OutputStats& output) { return output.rms_z(); }},
    {"max_abs", &CaseRow::max_abs, [](const v1::OutputStats& output) { return output.max_abs(); }},
    {"max_rel", &CaseRow::max_rel, [](const v1::OutputStats& output) { return output.max_rel(); }}};

struct CaseFilter {
  std::vector<v1::Outcome> outcomes = {};  // empty: all, as below
  std::vector<std::string> operators = {};
  std::vector<v1::Dtype::Code> dtypes = {};
  bool in_case_order = true;  // false: by case id, which is quicker
};

// One verdict of a case's history.
struct CasePoint {
  RunFacts run;
  CaseRow verdict;
};

// A case that came out differently in runs that should agree.
struct OutcomeRow {
  std::string run_id;
  std::string case_id;
  std::string case_hash;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
};

// How long the last call of a case took, in one run.
struct TimeRow {
  std::string case_id;
  double call_us = 0;  // above 0
};

struct RecentVerdict {
  int64_t cursor = 0;  // rises from verdict to verdict of a run
  std::string case_id;
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  std::string reason;  // its first line
  ReasonParts parts;   // of the reason
  std::string stored;  // RFC 3339, UTC
};

// Thread-safe: one connection behind a mutex. Statuses as Database's; NotFound for a run names the runs that
// exist. `run_id` may be "latest" everywhere.
class Queries {
 public:
  // The file must have this program's schema; opening a Database migrates it.
  static absl::StatusOr<std::unique_ptr<Queries>> Open(const std::string& path);
  ~Queries();

  // What is asked now or later fails soon, as Unavailable: the process ends. Thread-safe.
  void End() ABSL_NO_THREAD_SAFETY_ANALYSIS;

  absl::StatusOr<RunRow> Run(const std::string& run_id);
  // The same with only `done` and `outcomes` of the totals: cheap even while the run goes on.
  absl::StatusOr<RunRow> RunCounts(const std::string& run_id);
  // Newest first.
  absl::StatusOr<std::vector<RunRow>> Runs(const RunFilter& filter);
  // The same without their totals.
  absl::StatusOr<std::vector<RunFacts>> RunsFacts(const RunFilter& filter);
  // Newest first, each without its functions and the texts of its files.
  absl::StatusOr<std::vector<v1::RunInfo>> Explorations(RunFilter filter);
  // Options, submission and exploration as they were stored; a run's done and outcomes are left out.
  absl::StatusOr<v1::RunInfo> Describe(const std::string& run_id);
  // Sorted by name.
  absl::StatusOr<std::vector<ChipRow>> Chips(const TimeRange& range = {});

  // Sorted by operator, function, dtype, outcome.
  absl::StatusOr<std::vector<TallyRow>> Tallies(const std::string& run_id);
  // ABI functions whose symbol the library exports, sorted by name.
  absl::StatusOr<std::vector<std::string>> ExportedFunctions(const std::string& run_id);
  absl::StatusOr<std::vector<DeviceRow>> Devices(const std::string& run_id);

  absl::StatusOr<std::vector<CaseRow>> Cases(const std::string& run_id, const CaseFilter& filter);
  // NotFound names case and run.
  absl::StatusOr<v1::Verdict> Verdict(const std::string& run_id, const std::string& case_id);
  // The failures and harness errors of a run, in case order, without their outputs.
  absl::StatusOr<std::vector<v1::Verdict>> FailedVerdicts(const std::string& run_id);
  // The case in the newest `limit` runs of the chip (0: all), oldest first; runs without a verdict are left
  // out. NotFound when there is none at all.
  absl::StatusOr<std::vector<CasePoint>> History(const std::string& case_id, const std::string& chip,
                                                 int limit);
  // The failures (fail, error, crash, timeout, memory, nondeterministic) of a run, by case id.
  absl::StatusOr<std::vector<OutcomeRow>> Failures(const std::string& run_id);
  // The outcomes of these cases in a run; cases without a verdict are left out.
  absl::StatusOr<std::vector<OutcomeRow>> OutcomesOf(const std::string& run_id,
                                                     const std::vector<std::string>& case_ids);
  // Sorted by case id; cases whose time was not measured are left out.
  absl::StatusOr<std::vector<TimeRow>> Times(const std::string& run_id);
  // What the run measured (diopi-agent --performance).
  absl::StatusOr<StoredPerformance> Performance(const std::string& run_id);
  absl::StatusOr<int64_t> MeasuredCalls(const std::string& run_id);  // how many these are
  // The newest runs that measured something, newest first; `limit` 0: all.
  absl::StatusOr<std::vector<RunFacts>> MeasuredRunsFacts(int limit);
  // Verdicts of a run after `since` (0: all), newest first, at most `limit`.
  absl::StatusOr<std::vector<RecentVerdict>> Recent(const std::string& run_id, int64_t since, int limit);

 private:
  explicit Queries(std::unique_ptr<Connection> connection);
  absl::StatusOr<int64_t> RowidOf(const std::string& run_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status NoSuchRun(const std::string& run_id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<RunTotals> TotalsOf(int64_t run) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<RunRow> RowOf(int64_t run) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::vector<RunFacts>> FactsOf(const std::vector<int64_t>& runs)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::vector<int64_t>> RowidsOf(const RunFilter& filter)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::mutex mutex_;
  const std::unique_ptr<Connection> connection_ ABSL_PT_GUARDED_BY(mutex_);
  std::map<int64_t, RunTotals> live_ ABSL_GUARDED_BY(mutex_);  // totals of runs that go on
};

}  // namespace diopi::server

#endif  // SERVER_STORE_QUERIES_H_
