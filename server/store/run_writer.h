// Writes runs: the row with its device, its cases and its functions. Private to this folder; the caller holds
// the connection and a transaction.
#ifndef SERVER_STORE_RUN_WRITER_H_
#define SERVER_STORE_RUN_WRITER_H_

#include <cstdint>
#include <random>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "diopi/v1/run.pb.h"
#include "server/store/database.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// A new run under a new id; `created` is UTC. Returns the row's id. InvalidArgument when a case is there
// twice.
absl::StatusOr<int64_t> InsertRun(Connection* connection, const v1::RunOptions& options,
                                  const std::string& suite_hash, absl::Span<const RunCase> cases,
                                  const std::string& created, std::random_device* entropy);

// Gives a queued run (`run` is the row's id) the library, and what else the agent that took it says of
// itself. FailedPrecondition when it is not queued.
absl::Status Adopt(Connection* connection, int64_t run, const v1::RunOptions& library);

}  // namespace diopi::server

#endif  // SERVER_STORE_RUN_WRITER_H_
