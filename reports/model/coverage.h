// Functions by chips: what is implemented, tested, passing.
#ifndef REPORTS_MODEL_COVERAGE_H_
#define REPORTS_MODEL_COVERAGE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs of a chip are looked through for the newest word on each function.
inline constexpr int kCoverageRuns = 8;

struct CoverageCell {
  bool implemented = false;  // the newest run's library exports it, and not every call said NoImplement
  bool tested = false;       // it was called at least once
  int64_t cases = 0;         // that called it
  int64_t passed = 0;        // of these
  std::string run_id;        // the newest run whose cases have it; empty: none
};

struct FunctionCoverage {
  std::string name;    // diopiAdd
  std::string header;  // of the ABI that declares it: functions.h
  std::string family;  // of its operator in our suite: elementwise; empty where the suite has no case of it
  std::vector<std::optional<CoverageCell>>
      cells;  // one a chip; nothing: it neither exports nor was asked for it
};

struct CoverageMatrix {
  std::vector<std::string> chips;           // by name
  std::vector<FunctionCoverage> functions;  // all of the ABI, in header order
};

// Of each chip the newest kCoverageRuns runs with the library of its newest run that has verdicts. A partial
// run speaks only of functions that no complete run has.
absl::StatusOr<CoverageMatrix> LoadCoverage(server::Queries& queries);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_COVERAGE_H_
