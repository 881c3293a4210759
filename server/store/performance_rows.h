// How fast a run's calls were, as rows: writes them and reads them back.
#ifndef SERVER_STORE_PERFORMANCE_ROWS_H_
#define SERVER_STORE_PERFORMANCE_ROWS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "diopi/v1/performance.pb.h"

namespace diopi::server {

class Connection;

// What a run measured: at most one measurement of each call, by case id.
struct StoredPerformance {
  std::vector<v1::Measurement> measurements;
  std::optional<v1::MachineFacts> machine;
};

// In the caller's transaction. What is there already stays. `machine` may be null.
absl::Status WritePerformance(Connection* connection, int64_t run,
                              absl::Span<const v1::Measurement* const> measurements,
                              const v1::MachineFacts* machine);

absl::StatusOr<StoredPerformance> ReadPerformance(Connection* connection, int64_t run);

// How many calls it was to measure.
absl::StatusOr<int64_t> CountMeasurements(Connection* connection, int64_t run);

// The newest runs that measured something, newest first: row ids.
absl::StatusOr<std::vector<int64_t>> MeasuredRuns(Connection* connection, int limit);

}  // namespace diopi::server

#endif  // SERVER_STORE_PERFORMANCE_ROWS_H_
