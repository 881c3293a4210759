// One call being served: who makes it, how long it takes, and its line in the log.
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

// Whether the server itself failed: a full disk, a busy database, a defect. The caller has done nothing
// wrong, and may succeed later.
bool IsServerFault(const absl::Status& status);

// Used by one thread. Measures a call by a steady clock, counts it, and logs it when it is refused (with the
// peer and the name of the token), fails by our fault or is slow.
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

  // Calls Guard::Admit, after which `caller` is known, and CheckRequest.
  absl::Status Admit(const google::protobuf::Message& request);
  const Identity& caller() const { return caller_; }
  // Cancelled once the caller has gone, or its deadline has passed.
  absl::Status StillWanted() const;
  const std::string& run_id() const { return what_.run_id; }
  // Turns `status` into the call's answer. Call it once.
  grpc::Status End(const absl::Status& status);

 private:
  Metrics* const metrics_;
  const Guard* const guard_;
  const grpc::ServerContextBase& context_;
  const What what_;
  const absl::Duration slow_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  Identity caller_{"", Role::kRead};
  std::string token_;  // its name, for the log, even when the caller was refused
};

}  // namespace diopi::server

#endif  // SERVER_RPC_CALL_RECORD_H_
