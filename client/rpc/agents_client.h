// The server's Agents service as the programs see it: standing ready, submitting runs, watching them.
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

// Thread-safe. Statuses as Client's.
class AgentsClient {
 public:
  // Calls nobody yet. InvalidArgument when the address is none.
  static absl::StatusOr<std::unique_ptr<AgentsClient>> Make(const std::string& address,
                                                            const ClientOptions& options);
  // With what the command line says of TLS and tokens; InvalidArgument also as of LoadCredentials.
  static absl::StatusOr<std::unique_ptr<AgentsClient>> Make(const std::string& address,
                                                            const CredentialFiles& credentials,
                                                            ClientOptions options);
  virtual ~AgentsClient() = default;

  // Returns when the stream ends, and why; OK when the server closed it by request. `take` is called on this
  // thread for every message. Tries once.
  virtual absl::Status Serve(const v1::ServeRequest& request,
                             const std::function<void(const v1::Assignment&)>& take) = 0;
  // Ends the Serve that goes on now, if any.
  virtual void EndServe() = 0;
  virtual absl::StatusOr<v1::HeartbeatResponse> Heartbeat(const v1::HeartbeatRequest& request) = 0;
  virtual absl::Status EndAssignment(const v1::EndAssignmentRequest& request) = 0;
  virtual absl::Status Leave(const std::string& agent_id) = 0;
  virtual absl::StatusOr<v1::HealthCaseResponse> HealthCase() = 0;
  // The uploaded library of a run, into a new file with mode 0600. Not verified.
  virtual absl::Status FetchImpl(const std::string& run_id, const std::string& path) = 0;

  virtual absl::StatusOr<v1::ListAgentsResponse> ListAgents(const std::string& chip) = 0;
  // `upload_path` empty: no library goes along; otherwise `request` announces its size and hash.
  virtual absl::StatusOr<v1::SubmitResponse> Submit(const v1::SubmitRequest& request,
                                                    const std::string& upload_path) = 0;
  // Calls `take` now and at every change, until the run is finished or aborted, or `take` returns false. A
  // server that cannot be reached is tried again for `retry_for` from the last message on.
  virtual absl::Status WatchRun(const std::string& run_id,
                                const std::function<bool(const v1::RunInfo&)>& take) = 0;
  virtual absl::StatusOr<v1::RunInfo> CancelRun(const std::string& run_id) = 0;

  // Waits until the server can be connected to, at most `limit`; false when it cannot, or after Cancel.
  virtual bool WaitForServer(std::chrono::milliseconds limit) = 0;
  // Ends every call in flight and refuses new ones.
  virtual void Cancel() = 0;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_AGENTS_CLIENT_H_
