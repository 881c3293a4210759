// Functions by chip: which are implemented, tested, passing.
#ifndef REPORTS_MODEL_COVERAGE_H_
#define REPORTS_MODEL_COVERAGE_H_

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs of a chip are searched for the newest result of each function.
inline constexpr int kCoverageRuns = 8;

using CoverageCells = std::map<std::string, v1::CoverageCell>;  // by function

// Uses the newest kCoverageRuns runs with the library of the chip's newest run that has verdicts. A partial
// run counts only for functions that no complete run has.
absl::StatusOr<CoverageCells> LoadCells(server::Queries& queries, const std::string& chip);

// The cells of every chip.
absl::StatusOr<v1::CoveragePage> LoadCoverage(server::Queries& queries);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_COVERAGE_H_
