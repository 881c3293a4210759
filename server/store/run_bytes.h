// How many bytes runs take in the results database. Private to this folder.
#ifndef SERVER_STORE_RUN_BYTES_H_
#define SERVER_STORE_RUN_BYTES_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// Measured: the bytes of a row of verdicts, with its part of `appends`, and of a row of contents without its
// body.
inline constexpr int64_t kVerdictBytes = 27;
inline constexpr int64_t kContentBytes = 9;

// The same of measurements and explorations, as SQL: the sum over the rows that follow in a query.
#define DIOPI_MEASUREMENT_BYTES "ifnull(sum(length(case_id) + length(body)), 0) FROM measurements"
#define DIOPI_EXPLORATION_BYTES "ifnull(sum(length(exploration)), 0) FROM runs"

struct StoredBytes {
  int64_t verdicts = 0;
  int64_t bytes = 0;
};

// Counts what is stored of the run (`run` is the row's id): verdicts, measurements, its exploration. Leaves
// out the contents that `*counted` has, by their rows, and adds the others to it. Reads every verdict's row,
// about 0.2 us each.
absl::StatusOr<StoredBytes> CountBytes(Connection* connection, int64_t run, std::vector<bool>* counted);

// Adds to the run's column `bytes`.
absl::Status AddBytes(Connection* connection, int64_t run, int64_t bytes);

}  // namespace diopi::server

#endif  // SERVER_STORE_RUN_BYTES_H_
