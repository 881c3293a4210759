// The server as the programs see it: one method a call, absl statuses, deadlines and retries inside.
#ifndef CLIENT_RPC_CLIENT_H_
#define CLIENT_RPC_CLIENT_H_

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/rpc/credentials.h"
#include "client/rpc/lease_assembler.h"
#include "client/rpc/tensor_cache.h"
#include "diopi/v1/service.pb.h"

namespace diopi::rpc {

struct ClientOptions {
  std::chrono::milliseconds call_deadline{30'000};  // of one attempt
  // Of one stream: a case of gigabytes over a slow network. A dead connection is noticed much sooner.
  std::chrono::milliseconds lease_deadline{600'000};
  // How long a server that cannot be reached is tried again (it may be restarting); 0: not at all.
  std::chrono::milliseconds retry_for{5'000};
  // How long a server that is there but has no thread free is tried again. As long as it could take to
  // answer.
  std::chrono::milliseconds busy_for{30'000};
  std::chrono::milliseconds first_backoff{20};
  std::chrono::milliseconds max_backoff{500};
  Credentials credentials;  // TLS and token; not looked at for Unix sockets
  // Generate inputs here, where the server's generator version is ours, instead of having them sent.
  bool recipes = true;
  // Where received tensors are kept; null: nowhere. Shared by clients.
  std::shared_ptr<TensorCache> cache = nullptr;
  // Tensors of no more bytes are always sent: reading a file would take as long.
  int64_t cache_above = 16 << 10;
};

struct RunVerdicts {
  v1::RunInfo run;
  std::vector<v1::Verdict> verdicts;  // in case order
};

// Thread-safe. Unavailable with "cannot reach the server at ADDRESS: ..." when it cannot be reached within
// `retry_for`, and with "the server at ADDRESS is busy: ..." when it has no thread free for `busy_for`;
// Cancelled after Cancel; otherwise the server's own status and words.
class Client {
 public:
  // `address`: HOST:PORT or unix:PATH. InvalidArgument when it is neither. Asks the server who it is, so that
  // a wrong address shows here.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(const std::string& address,
                                                         const ClientOptions& options);
  // The same with the credentials of these files. Errors also as LoadCredentials.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(const std::string& address,
                                                         const CredentialFiles& credentials,
                                                         ClientOptions options);
  virtual ~Client() = default;

  virtual const v1::ServerInfoResponse& server() const = 0;
  virtual const std::string& address() const = 0;

  virtual absl::StatusOr<v1::CreateRunResponse> CreateRun(const v1::CreateRunRequest& request) = 0;
  // Calls `consumer` for every case as it arrives, on this thread. When the stream breaks after some cases,
  // those were consumed and count; the rest is handed out again when the lease expires.
  virtual absl::StatusOr<v1::LeaseMessage::Header> Lease(const v1::LeaseRequest& request,
                                                         LeaseAssembler::Consumer consumer) = 0;
  // Safe to repeat: the server counts a verdict once.
  virtual absl::StatusOr<v1::ReportResponse> Report(const v1::ReportRequest& request) = 0;
  virtual absl::StatusOr<v1::RunInfo> FinishRun(const v1::FinishRunRequest& request) = 0;
  virtual absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) = 0;
  virtual absl::StatusOr<v1::ListRunsResponse> ListRuns(const v1::ListRunsRequest& request) = 0;
  // All that `request` asks for (its `after` is ours). A stream that breaks is gone on with where it broke,
  // as long as each brings something or `retry_for` allows. FailedPrecondition when the server is too old to
  // send verdicts; DataLoss when fewer came than the run has.
  virtual absl::StatusOr<RunVerdicts> ReadVerdicts(const v1::ReadVerdictsRequest& request) = 0;

  // Bytes of tensors so far, by where they came from.
  virtual TransferCounts transfers() const = 0;

  // Ends every call in flight and refuses new ones.
  virtual void Cancel() = 0;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_CLIENT_H_
