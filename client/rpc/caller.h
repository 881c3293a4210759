// A channel to the server and how calls over it are made: deadlines, retries, cancelling. Private to this
// folder.
#ifndef CLIENT_RPC_CALLER_H_
#define CLIENT_RPC_CALLER_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/strip.h"
#include "client/rpc/client.h"

namespace diopi::rpc {

// InvalidArgument for what is neither HOST:PORT nor unix:PATH.
absl::Status CheckAddress(const std::string& address);

// Before a channel is made: CheckAddress, CheckEncryption, and with TLS ExplainTls.
absl::Status CheckServer(const std::string& address, const Credentials& credentials);

// After `failure`, the first call's: says when it came of plaintext to a server that speaks TLS.
absl::Status ExplainFailure(const absl::Status& failure, const std::string& address,
                            const Credentials& credentials);

// Whether a server that runs refused the call before it looked at it, as it had no thread free for it: any
// call may be made again. Such a status is Unavailable too.
bool IsBusy(const absl::Status& status);

// "CreateRun", from the name of its request.
template <typename Request>
std::string MethodOf() {
  return std::string(absl::StripSuffix(Request::descriptor()->name(), "Request"));
}

// Thread-safe.
class Caller {
 public:
  Caller(std::string address, const ClientOptions& options);

  // Registers a call in flight for Cancel.
  class InFlight {
   public:
    InFlight(Caller* caller, grpc::ClientContext* context);
    ~InFlight();
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

   private:
    Caller* caller_;
    grpc::ClientContext* context_;
  };

  // Tries as long as the server cannot be reached or is busy and options.retry_for or busy_for allows.
  // `method`: what the call is, for messages.
  absl::Status Unary(const std::string& method,
                     const std::function<grpc::Status(grpc::ClientContext*)>& call);

  // The attempts of one call. When to give up counts from the first that failed: that a connection is dead
  // may have taken longer to notice than attempts may last.
  struct Attempts {
    std::optional<std::chrono::steady_clock::time_point> failed;
    std::chrono::milliseconds backoff{0};
  };
  // Pauses before another one; false when `failure` is not Unavailable, when options.retry_for
  // (options.busy_for, where it is longer and the server is busy) has passed, or when Cancel was called.
  bool WaitToRetry(const absl::Status& failure, Attempts* attempts);

  // Pauses before another attempt, for half of `backoff` to all of it, so that those who were refused
  // together do not come back together; false when `give_up` would pass or Cancel was called.
  bool WaitToRetry(std::chrono::steady_clock::time_point give_up, std::chrono::milliseconds* backoff);

  // gRPC's status in our words. IsBusy tells a busy server from one that cannot be reached; what else a
  // server calls ResourceExhausted (a message that is too large, a full disk) stays that. `method` had
  // `deadline`.
  absl::Status Translate(const grpc::Status& status, const std::string& method,
                         std::chrono::milliseconds deadline) const;

  void Cancel();

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const std::string& address() const { return address_; }
  const ClientOptions& options() const { return options_; }

 private:
  std::chrono::milliseconds Jittered(std::chrono::milliseconds backoff);

  const std::string address_;
  const ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;
  std::minstd_rand entropy_{std::random_device()()};  // of pauses
  std::set<grpc::ClientContext*> contexts_;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_CALLER_H_
