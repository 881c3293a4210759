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
#include <set>
#include <string>

#include "absl/status/status.h"
#include "client/rpc/client.h"

namespace diopi::rpc {

// InvalidArgument for what is neither HOST:PORT nor unix:PATH.
absl::Status CheckAddress(const std::string& address);

// Before a channel is made: CheckAddress, CheckEncryption, and with TLS ExplainTls.
absl::Status CheckServer(const std::string& address, const Credentials& credentials);

// After `failure`, the first call's: says when it came of plaintext to a server that speaks TLS.
absl::Status ExplainFailure(const absl::Status& failure, const std::string& address,
                            const Credentials& credentials);

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

  // Tries as long as the server cannot be reached and options.retry_for allows.
  absl::Status Unary(const std::function<grpc::Status(grpc::ClientContext*)>& call);

  // The attempts of one call. When to give up counts from the first that failed: that a connection is dead
  // may have taken longer to notice than attempts may last.
  struct Attempts {
    std::optional<std::chrono::steady_clock::time_point> give_up;
    std::chrono::milliseconds backoff{0};
  };
  // Pauses before another one; false when options.retry_for has passed or Cancel was called.
  bool WaitToRetry(Attempts* attempts);

  // Pauses before another attempt; false when `give_up` has passed or Cancel was called.
  bool WaitToRetry(std::chrono::steady_clock::time_point give_up, std::chrono::milliseconds* backoff);

  // gRPC's status in our words.
  absl::Status Translate(const grpc::Status& status) const;

  void Cancel();

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const std::string& address() const { return address_; }
  const ClientOptions& options() const { return options_; }

 private:
  const std::string address_;
  const ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;
  std::set<grpc::ClientContext*> contexts_;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_CALLER_H_
