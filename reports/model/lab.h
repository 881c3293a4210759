// All chips of a lab side by side, for its home page: what changed since each chip's last green run, chips by
// operators, and the failures of all chips by cause.
#ifndef REPORTS_MODEL_LAB_H_
#define REPORTS_MODEL_LAB_H_

#include "absl/status/statusor.h"
#include "diopi/v1/answers.pb.h"
#include "server/store/queries.h"

namespace diopi::reports {

// How many runs of a chip, partial ones included, are searched for its last green run.
inline constexpr int kGreenRuns = 500;

// Uses only complete runs in the range, because only these represent their chips; the green runs may be
// older.
absl::StatusOr<v1::LabPage> LoadLab(server::Queries& queries, const server::TimeRange& range);

}  // namespace diopi::reports

#endif  // REPORTS_MODEL_LAB_H_
