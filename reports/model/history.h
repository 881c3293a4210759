// One case across the runs of a chip: since when it has failed, and whether it is flaky.
#ifndef REPORTS_MODEL_HISTORY_H_
#define REPORTS_MODEL_HISTORY_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/queries.h"

namespace diopi::reports {

struct HistoryPoint {
  server::RunFacts run;
  server::CaseRow verdict;
  std::string variant;  // VariantOf(run)
};

struct History {
  std::string case_id;
  std::string chip;
  std::vector<HistoryPoint> points;  // oldest first
  // Two calls of the same case (by its hash) in the same LibraryVariantOf had different outcomes: a pass and
  // a failure, or two different failures.
  bool flaky = false;
  int changes = 0;  // how often the outcome differed from the previous one, over such pairs
  // The first of the newest runs without a pass, and the last run before it that passed. Empty: the newest
  // run passed; no run passed. Runs that say nothing about the chip (skipped, harness_error) are ignored;
  // not_implemented, unsupported_dtype and waived are not a pass.
  std::string first_bad;
  std::string last_good;
};

// `points`: oldest first.
History BuildHistory(const std::string& case_id, const std::string& chip,
                     const std::vector<server::CasePoint>& points);

// NotFound when no run of the chip has a verdict on the case. Reads the newest `limit` runs; 0: all.
absl::StatusOr<History> LoadHistory(server::Queries& queries, const std::string& case_id,
                                    const std::string& chip, int limit = 0);

// A case that is flaky on a chip.
struct FlakyCase {
  std::string case_id;
  int64_t runs = 0;     // that called it, in the library variant in which it is flaky
  int64_t changes = 0;  // how often its outcome differed from the previous run's
};

// Searches the newest `runs` runs of the chip; returns at most `limit` cases, most changes first. Examines
// the 2 * `limit` cases of each library that failed intermittently most often.
absl::StatusOr<std::vector<FlakyCase>> FindFlaky(server::Queries& queries, const std::string& chip, int runs,
                                                 size_t limit);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_HISTORY_H_
