// Explorations: random valid calls. They are not runs, and never represent a chip.
#ifndef REPORTS_MODEL_EXPLORATIONS_H_
#define REPORTS_MODEL_EXPLORATIONS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// The run must be an exploration.
v1::ExplorationPage ExplorationOf(const v1::RunInfo& run);

// Newest first. Errors are the database's.
absl::StatusOr<v1::ExplorationsPage> LoadExplorations(server::Queries& queries,
                                                      const server::RunFilter& filter);

// How many of its calls IsFailure.
int64_t FailedCalls(const v1::Exploration& exploration);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_EXPLORATIONS_H_
