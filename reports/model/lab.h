// All chips of a lab side by side, for its home page: what changed since each chip's last green run, chips by
// operators, and the failures of all chips by cause.
#ifndef REPORTS_MODEL_LAB_H_
#define REPORTS_MODEL_LAB_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "reports/model/failure_groups.h"
#include "reports/model/run_summary.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs of a chip, partial ones included, are searched for its last green run.
inline constexpr int kGreenRuns = 500;

// The cases of an operator in a run.
struct OperatorCounts {
  int64_t cases = 0;
  int64_t passed = 0;
  int64_t failed = 0;  // IsFailure

  bool operator==(const OperatorCounts&) const = default;
};

// An operator of which a different number of cases passes or fails than in the green run.
struct OperatorChange {
  std::string op;
  OperatorCounts before;  // in the green run
  OperatorCounts now;
};

struct LabChip {
  std::string chip;
  // The newest complete run of the range, or else the newest that has verdicts.
  std::optional<RunSummary> run;
  // The newest complete run of any time, no newer than `run`, in which nothing failed.
  std::optional<RunSummary> green;
  int64_t runs_since = 0;               // complete runs after it, up to `run`
  std::vector<OperatorChange> changes;  // from `green` to `run`; most failures first
};

// The failures of all chips that have one outcome and one cause.
struct LabFailure {
  struct OnChip {
    std::string chip;
    std::string run_id;
    int64_t cases = 0;
    std::string example;  // case id
  };
  FailureGroup group;  // without its cases: of the first chip, with the operators of all
  int64_t cases = 0;   // on all chips
  std::vector<OnChip> chips;
};

struct Lab {
  std::vector<LabChip> chips;          // by name
  std::vector<std::string> operators;  // by name
  // One row per operator, one column per chip; nullopt: the chip's run has no case of the operator.
  std::vector<std::vector<std::optional<OperatorCounts>>> cells;
  std::vector<LabFailure> failures;  // on most chips first, then most cases
};

// Of the runs in the range; only the green runs may be older.
absl::StatusOr<Lab> LoadLab(server::Queries& queries, const server::TimeRange& range);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_LAB_H_
