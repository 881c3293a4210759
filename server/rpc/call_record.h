// One call being served: who calls, how long it takes, and what the log says of it.
#ifndef SERVER_RPC_CALL_RECORD_H_
#define SERVER_RPC_CALL_RECORD_H_

#include <google/protobuf/message.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include <chrono>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/rpc/guard.h"
#include "server/security/authorizer.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

// Whether the server could not do what was asked of it: a full disk, a busy database, a defect. The caller
// has done nothing wrong, and may succeed later.
bool IsServerFault(const absl::Status& status);

// Of one thread. A call is measured by a steady clock, counted, and logged when it is refused (with the peer
// and the name of the token), fails by our fault or is slow.
class CallRecord {
 public:
  struct What {
    const char* method;  // "Lease"
    std::string run_id = "";
    std::string agent = "";
  };
  // `metrics`, `guard` and `context` must outlive it. `slow`: a call that takes longer is logged.
  CallRecord(Metrics* metrics, const Guard* guard, const grpc::ServerContextBase& context, What what,
             absl::Duration slow = absl::InfiniteDuration());

  // Guard::Admit, from which on `caller` is known, and CheckRequest.
  absl::Status Admit(const google::protobuf::Message& request);
  const Identity& caller() const { return caller_; }
  const std::string& run_id() const { return what_.run_id; }
  // What the call answers, once.
  grpc::Status End(const absl::Status& status);

 private:
  Metrics* const metrics_;
  const Guard* const guard_;
  const grpc::ServerContextBase& context_;
  const What what_;
  const absl::Duration slow_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Identity caller_{"", Role::kRead};
  std::string token_;  // its name, for the log, also when the caller was refused
};

}  // namespace diopi::server

#endif  // SERVER_RPC_CALL_RECORD_H_
