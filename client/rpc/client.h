// The programs' client of the server: one method per call, with absl statuses, deadlines and retries.
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
  std::chrono::milliseconds call_deadline{30'000};  // for one attempt
  // Limit for one stream, such as a case of gigabytes over a slow network. A dead connection is noticed much
  // sooner.
  std::chrono::milliseconds lease_deadline{600'000};
  // How long after its deadline a call is cancelled that gRPC has not ended, and how long a stream that
  // should bring something may bring nothing; see Caller::InFlight.
  std::chrono::milliseconds overdue_after{5'000};
  std::chrono::milliseconds silent_after{120'000};
  // How long to retry a server that cannot be reached (it may be restarting); 0: no retries.
  std::chrono::milliseconds retry_for{5'000};
  // How long to retry a server that has no free thread: as long as an answer may take.
  std::chrono::milliseconds busy_for{30'000};
  std::chrono::milliseconds first_backoff{20};
  std::chrono::milliseconds max_backoff{500};
  Credentials credentials;  // TLS and token; not used for Unix sockets
  // Generate inputs here instead of receiving them, where the server has the same generator version.
  bool recipes = true;
  // Cache for received tensors; null: none. Clients may share it.
  std::shared_ptr<TensorCache> cache = nullptr;
  // Tensors of at most this many bytes are always sent: reading a file would take as long.
  int64_t cache_above = 16 << 10;
};

struct RunVerdicts {
  v1::RunInfo run;
  std::vector<v1::Verdict> verdicts;  // in case order
};

// Thread-safe. Unavailable with "cannot reach the server at ADDRESS: ..." when the server cannot be reached
// within `retry_for`, and with "the server at ADDRESS is busy: ..." when it has no free thread for
// `busy_for`; Cancelled after Cancel; otherwise the server's own status and message.
class Client {
 public:
  // `address`: HOST:PORT or unix:PATH, otherwise InvalidArgument. Calls the server once, so that a wrong
  // address fails here.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(const std::string& address,
                                                         const ClientOptions& options);
  // The same with the credentials in these files. Errors also as from LoadCredentials.
  static absl::StatusOr<std::unique_ptr<Client>> Connect(const std::string& address,
                                                         const CredentialFiles& credentials,
                                                         ClientOptions options);
  virtual ~Client() = default;

  virtual const v1::ServerInfoResponse& server() const = 0;
  virtual const std::string& address() const = 0;

  virtual absl::StatusOr<v1::CreateRunResponse> CreateRun(const v1::CreateRunRequest& request) = 0;
  // Calls `consumer` on this thread for every case as it arrives. When the stream breaks after some cases,
  // those were consumed and count; the server hands out the rest again when the lease expires.
  virtual absl::StatusOr<v1::LeaseMessage::Header> Lease(const v1::LeaseRequest& request,
                                                         LeaseAssembler::Consumer consumer) = 0;
  // Safe to repeat: the server counts a verdict once.
  virtual absl::StatusOr<v1::ReportResponse> Report(const v1::ReportRequest& request) = 0;
  virtual absl::StatusOr<v1::RunInfo> FinishRun(const v1::FinishRunRequest& request) = 0;
  virtual absl::StatusOr<v1::RunInfo> GetRun(const std::string& run_id) = 0;
  virtual absl::StatusOr<v1::ListRunsResponse> ListRuns(const v1::ListRunsRequest& request) = 0;
  // All verdicts that `request` asks for (this method sets `after`). Continues a broken stream where it
  // broke, as long as each stream brings something or `retry_for` allows. FailedPrecondition when the server
  // is too old to send verdicts; DataLoss when fewer came than the run has.
  virtual absl::StatusOr<RunVerdicts> ReadVerdicts(const v1::ReadVerdictsRequest& request) = 0;

  // The bytes of the answer. FailedPrecondition when the server is too old to give one.
  virtual absl::StatusOr<std::string> ReadAnswer(const v1::AnswerRequest& request) = 0;
  // The page of a run on the server's dashboards; empty: they are off.
  std::string PageOf(const std::string& run_id) const;

  // Bytes of tensors so far, by source.
  virtual TransferCounts transfers() const = 0;

  // Ends every call in flight and refuses new ones.
  virtual void Cancel() = 0;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_CLIENT_H_
