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
#include "server/store/quota.h"
#include "server/store/sqlite.h"

namespace diopi::server {

// Inserts a run under a new id; `created` and `alive_until` (empty: not known) are UTC. Returns the row's id.
// InvalidArgument when a case is there twice; the status of `still_wanted` (null: not asked) if it fails.
absl::StatusOr<int64_t> InsertRun(Connection* connection, const v1::RunOptions& options,
                                  const std::string& suite_hash, absl::Span<const RunCase> cases,
                                  const std::string& created, std::random_device* entropy,
                                  const std::string& alive_until = "",
                                  const StillWanted& still_wanted = nullptr);

// QuotaError when the runs of `owner` take as much already.
absl::Status CheckQuota(Connection* connection, const std::string& owner, const Quota& quota);

// Writes RunOptions.aborted of the run in this row.
absl::Status WriteAborted(Connection* connection, int64_t run, const v1::Finding& why);

// Stores which cases a run covers and, as `alike`, which earlier run's verdicts are likely to say the same.
absl::Status GiveSuite(Connection* connection, int64_t run, absl::Span<const RunCase> cases,
                       const StillWanted& still_wanted = nullptr);

// Gives a queued run (`run` is the row's id) the library and the other facts of the agent that took it.
// FailedPrecondition when the run is not queued.
absl::Status Adopt(Connection* connection, int64_t run, const v1::RunOptions& library);

}  // namespace diopi::server

#endif  // SERVER_STORE_RUN_WRITER_H_
