// The server that a run or an exploration is stored in: the one that --server names, or one of its own.
#ifndef CLIENT_AGENT_CONNECTION_H_
#define CLIENT_AGENT_CONNECTION_H_

#include <memory>

#include "absl/status/statusor.h"
#include "client/agent/options.h"
#include "client/rpc/client.h"
#include "client/setup/server_process.h"
#include "impl_loader/worker/worker.h"

namespace diopi::agent {

// Without --server, uses the server in `own`, and starts it first where there is none. It must outlive the
// client.
absl::StatusOr<std::unique_ptr<rpc::Client>> Connect(const AgentOptions& options,
                                                     std::unique_ptr<ServerProcess>* own);

// Hides the server's folders and the cache from the library. `own`: null with --server.
void HideServer(const AgentOptions& options, const rpc::Client& client, const ServerProcess* own,
                loader::WorkerOptions* worker);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_CONNECTION_H_
