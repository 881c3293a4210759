// Cases, and the lists of them that runs cover: each is stored once, however many runs share it. Private to
// this folder.
#ifndef SERVER_STORE_SUITE_ROWS_H_
#define SERVER_STORE_SUITE_ROWS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/store/database.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// The row of `suites` with exactly these cases in this order, made if there is none. InvalidArgument when a
// case id is there twice. In the caller's transaction.
absl::StatusOr<int64_t> SuiteOf(Connection* connection, absl::Span<const RunCase> cases,
                                const StillWanted& still_wanted = nullptr);

}  // namespace diopi::server

#endif  // SERVER_STORE_SUITE_ROWS_H_
