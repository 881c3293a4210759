// The progress of a run.
#ifndef REPORTS_MODEL_PROGRESS_H_
#define REPORTS_MODEL_PROGRESS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "diopi/v1/answers.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// The speed comes from the newest 256 verdicts until `now`; there is none when the run is over, or when they
// came within two seconds (times are kept in whole seconds).
absl::StatusOr<v1::Progress> LoadProgress(server::Queries& queries, const std::string& run_id, int64_t since,
                                          absl::Time now);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_PROGRESS_H_
