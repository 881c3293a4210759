// Whether a run represents its chip, and how many functions it must pass.
#ifndef REPORTS_MODEL_COMPLETENESS_H_
#define REPORTS_MODEL_COMPLETENESS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "diopi/v1/run.pb.h"

namespace diopi::reports {

// Whether the run covers everything: all of suite core, no function, case or dtype was selected, and it is
// not a shard.
bool IsWhole(const v1::RunOptions& options);

// Why a run does not stand for its chip: "functions add of suite core", "shard 1 of 4", "aborted after 305 of
// 841 cases", "an exploration of all functions with seed 1". Empty: the run is complete. An unknown state
// counts as finished.
v1::Finding WhyPartial(const v1::RunOptions& options, v1::RunState state, int64_t cases, int64_t done);

// "functions add, conv*; cases *.float32.*; dtypes float16 of suite core", or "all of suite core".
v1::Finding SelectionOf(const v1::Selection& selection);

// What an exploration calls: "functions add; dtypes float16", or "all functions".
v1::Finding ExploredPart(const v1::Selection& selection);

// --min-coverage: how many functions must pass. "30%" is a share of the ABI's functions, rounded up; "160" is
// the number itself. InvalidArgument for anything else.
absl::StatusOr<int64_t> ParseMinCoverage(std::string_view text);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_COMPLETENESS_H_
