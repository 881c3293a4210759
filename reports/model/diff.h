// Two runs side by side: which cases came out differently, and how.
#ifndef REPORTS_MODEL_DIFF_H_
#define REPORTS_MODEL_DIFF_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/model/run_summary.h"
#include "server/store/queries.h"

namespace diopi::reports {

// From run A to run B. A case has one kind of change of its outcome, or, where its outcome is the same in
// both, kSame or a kind of change by error, by time, or both: then it has a row for each.
enum class DiffKind {
  kNewlyFailing,  // a pass in A; a failure, not_implemented or unsupported_dtype in B
  kNewlyPassing,  // the other way round
  kChanged,       // any other difference of outcomes: fail to crash, pass to skipped
  kRedefined,     // the case's hash differs: it is another case under the same id, nothing else is compared
  kWorse,         // by error
  kBetter,
  kSlower,  // by the time of the call, with evidence: the times of several runs
  kFaster,
  kAppeared,  // only B has a verdict on it
  kVanished,  // only A
  kSame,
};

// "newly_failing".
std::string DiffKindName(DiffKind kind);
// All of them, in the order in which they are told.
std::vector<DiffKind> DiffKinds();

struct DiffOptions {
  // Worse or better: max_z (errors in units of the reference's rounding noise) of one run is more than this
  // times the other's. Two correct libraries that sum in another order differ by about 1.4, the ratio of the
  // maxima of two such samples.
  double error_factor = 2;
  // And the larger is more than this: below one noise unit nothing can be told from rounding.
  double error_floor_z = 1;
  // Slower or faster: the median time of one side is more than this times the other's. A run has one time a
  // case, which varies by a fifth from run to run on a quiet machine and by any factor on a busy one.
  double time_factor = 1.5;
  // And differs by more than this: launch and clock take that much.
  double time_floor_us = 20;
  // And each side has the times of so many runs, of which none lies within the range of the other's: for two
  // equal libraries the chance of that is 1 in 10 by three runs each, before the factor and the floor.
  int64_t time_runs = 3;
};

// How long the calls of each case took in the runs that show it: those of one variant on one host.
struct CallTimes {
  int64_t runs = 0;
  std::map<std::string, std::vector<double>> us;  // by case id, in no order
};

// A verdict as the comparison shows it. NaN: not measured.
struct DiffSide {
  v1::Outcome outcome = v1::OUTCOME_UNSPECIFIED;
  double max_z = 0;
  double max_ulp = 0;
  double call_us = 0;      // in this run
  double call_low_us = 0;  // the range over the runs of this library; NaN where they are too few to compare
  double call_high_us = 0;
};

struct DiffRow {
  std::string case_id;
  std::string op;
  v1::Dtype::Code dtype = v1::Dtype::float32;
  DiffKind kind = DiffKind::kSame;
  std::optional<DiffSide> a;
  std::optional<DiffSide> b;
  std::optional<double> factor;  // B's error or time over A's; nothing for the other kinds
};

struct Diff {
  RunSummary a;
  RunSummary b;
  bool same_variant = false;
  // In words: what of the identity differs ("differ in library (SHA-256), contracts"), and what else may have
  // changed verdicts ("; judged with other references"). "the same variant, reference and agent" where
  // nothing does.
  std::string comparable;
  // In words: over how many runs times were compared, or why they were not.
  std::string times;
  std::map<DiffKind, int64_t> counts;  // every kind
  std::vector<DiffRow> rows;           // without kSame; by kind, then case id
};

// Times without runs: they are not compared, as both sides have the same.
Diff BuildDiff(RunSummary a, RunSummary b, const std::vector<server::CaseRow>& cases_a,
               const std::vector<server::CaseRow>& cases_b, const CallTimes& times_a,
               const CallTimes& times_b, const DiffOptions& options);

// The times are those of the newest finished runs with the variant and host of each side.
absl::StatusOr<Diff> LoadDiff(server::Queries& queries, const std::string& run_a, const std::string& run_b,
                              const DiffOptions& options = {});

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_DIFF_H_
