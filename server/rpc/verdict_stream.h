// Sends a run's verdicts as messages, a page of the database at a time.
#ifndef SERVER_RPC_VERDICT_STREAM_H_
#define SERVER_RPC_VERDICT_STREAM_H_

#include <functional>

#include "absl/status/status.h"
#include "diopi/v1/service.pb.h"
#include "server/store/database.h"

namespace diopi::server {

// Accepts a message; an error ends the stream.
using BatchSink = std::function<absl::Status(const v1::VerdictBatch&)>;

// Sends the run, and its verdicts in batches of about 256 KiB. However large the run, only one batch is in
// memory, and a slow reader does not block the database. NotFound for an unknown run, InvalidArgument for an
// unknown outcome, or the status of `sink` or the database.
absl::Status SendVerdicts(Database* database, const v1::ReadVerdictsRequest& request, const BatchSink& sink);

}  // namespace diopi::server

#endif  // SERVER_RPC_VERDICT_STREAM_H_
