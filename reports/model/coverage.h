// Functions by chip: which are implemented, tested, passing.
#ifndef REPORTS_MODEL_COVERAGE_H_
#define REPORTS_MODEL_COVERAGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs of a chip are searched for the newest result of each function.
inline constexpr int kCoverageRuns = 8;

struct CoverageCell {
  bool implemented = false;  // the newest run's library exports it, and not every call returned NoImplement
  bool tested = false;       // it was called at least once
  int64_t cases = 0;         // in which it was called
  int64_t passed = 0;        // of these
  std::string run_id;        // the newest run with cases of it; empty: none
};

struct FunctionCoverage {
  std::string name;    // diopiAdd
  std::string header;  // the ABI header that declares it: functions.h
  std::string family;  // its operator's family in our suite: elementwise; empty without a case in the suite
  std::vector<std::optional<CoverageCell>> cells;  // one per chip; nullopt: neither exported nor in any case
};

struct CoverageMatrix {
  std::vector<std::string> chips;           // by name
  std::vector<FunctionCoverage> functions;  // all of the ABI, in header order
};

// For each chip, uses the newest kCoverageRuns runs with the library of its newest run that has verdicts. A
// partial run counts only for functions that no complete run has.
absl::StatusOr<CoverageMatrix> LoadCoverage(server::Queries& queries);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_COVERAGE_H_
