// Client of the server's Agents service: serves as a standing agent, submits runs, watches them.
#ifndef CLIENT_RPC_AGENTS_CLIENT_H_
#define CLIENT_RPC_AGENTS_CLIENT_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/rpc/client.h"
#include "diopi/v1/service.pb.h"

namespace diopi::rpc {

// Thread-safe. Statuses are those of Client.
class AgentsClient {
 public:
  // Does not connect yet. InvalidArgument for an invalid address.
  static absl::StatusOr<std::unique_ptr<AgentsClient>> Make(const std::string& address,
                                                            const ClientOptions& options);
  // The same with the command line's TLS and token options; InvalidArgument also as from LoadCredentials.
  static absl::StatusOr<std::unique_ptr<AgentsClient>> Make(const std::string& address,
                                                            const CredentialFiles& credentials,
                                                            ClientOptions options);
  virtual ~AgentsClient() = default;

  // Returns when the stream ends, with the reason; OK when the server closed it by request. Calls `take` on
  // this thread for every message. Does not retry.
  virtual absl::Status Serve(const v1::ServeRequest& request,
                             const std::function<void(const v1::Assignment&)>& take) = 0;
  // Ends the current Serve, if any.
  virtual void EndServe() = 0;
  virtual absl::StatusOr<v1::HeartbeatResponse> Heartbeat(const v1::HeartbeatRequest& request) = 0;
  virtual absl::Status EndAssignment(const v1::EndAssignmentRequest& request) = 0;
  virtual absl::Status Leave(const std::string& agent_id) = 0;
  virtual absl::StatusOr<v1::HealthCaseResponse> HealthCase() = 0;
  // Writes a run's uploaded library to a new file with mode 0600. Does not verify it.
  virtual absl::Status FetchImpl(const std::string& run_id, const std::string& path) = 0;

  virtual absl::StatusOr<v1::ListAgentsResponse> ListAgents(const std::string& chip) = 0;
  // Empty `upload_path`: uploads no library; otherwise `request` announces its size and hash.
  virtual absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request,
                                                    const std::string& upload_path) = 0;
  // Calls `take` now and at every change, until the run is finished or aborted, or `take` returns false.
  // Retries a server that cannot be reached for `retry_for` after the last message.
  virtual absl::Status WatchRun(const std::string& run_id,
                                const std::function<bool(const v1::RunInfo&)>& take) = 0;
  virtual absl::StatusOr<v1::RunInfo> CancelRun(const std::string& run_id) = 0;

  // Waits at most `limit` for a connection to the server; false without one, or after Cancel.
  virtual bool WaitForServer(std::chrono::milliseconds limit) = 0;
  // Ends every call in flight and refuses new ones.
  virtual void Cancel() = 0;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_AGENTS_CLIENT_H_
