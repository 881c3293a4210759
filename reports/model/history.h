// One case across the runs of a chip: since when it fails, and whether it is flaky.
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
  // The library was called twice with the same case (by its hash) in the same LibraryVariantOf, and once it
  // passed and once it failed, or it failed in two ways.
  bool flaky = false;
  int changes = 0;  // how often the outcome differed from the one before, over such pairs
  // Of the stretch of runs without a pass that reaches to the newest: its first run, and the last run before
  // it that passed. Empty: the newest passed; there was none. Runs that say nothing of the chip (skipped,
  // harness_error) are passed over; not_implemented, unsupported_dtype and waived are no pass.
  std::string first_bad;
  std::string last_good;
};

// `points` oldest first.
History BuildHistory(const std::string& case_id, const std::string& chip,
                     const std::vector<server::CasePoint>& points);

// NotFound when no run of the chip has a verdict on it. `limit` runs at most, the newest; 0: all.
absl::StatusOr<History> LoadHistory(server::Queries& queries, const std::string& case_id,
                                    const std::string& chip, int limit = 0);

// A case that is flaky on a chip.
struct FlakyCase {
  std::string case_id;
  int64_t runs = 0;     // that called it, of the library variant in which it is flaky
  int64_t changes = 0;  // how often its outcome differed from the run before
};

// Over the newest `runs` runs of the chip; most changes first, at most `limit`. Looks at the 2 * `limit`
// cases of each library that failed most off and on.
absl::StatusOr<std::vector<FlakyCase>> FindFlaky(server::Queries& queries, const std::string& chip, int runs,
                                                 size_t limit);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_HISTORY_H_
