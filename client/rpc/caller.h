// Makes calls over a channel to the server: deadlines, retries, cancelling. Private to this folder.
#ifndef CLIENT_RPC_CALLER_H_
#define CLIENT_RPC_CALLER_H_

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/strip.h"
#include "cases/base/status_macros.h"
#include "client/rpc/client.h"

namespace diopi::rpc {

// InvalidArgument unless the address is HOST:PORT or unix:PATH.
absl::Status CheckAddress(const std::string& address);

// The checks before a channel is made: CheckAddress, CheckEncryption, and with TLS ExplainTls.
absl::Status CheckServer(const std::string& address, const Credentials& credentials);

// Explains the `failure` of a first call when its cause is plaintext to a server that speaks TLS.
absl::Status ExplainFailure(const absl::Status& failure, const std::string& address,
                            const Credentials& credentials);

// Whether a running server refused the call unread because it had no free thread: any call may be repeated
// then. Such a status is Unavailable, too.
bool IsBusy(const absl::Status& status);

// A method's name, such as "CreateRun", from the type of its request.
template <typename Request>
std::string MethodOf() {
  return std::string(absl::StripSuffix(Request::descriptor()->name(), "Request"));
}

// Thread-safe.
class Caller {
 public:
  using Clock = std::chrono::steady_clock;

  Caller(std::string address, const ClientOptions& options);
  ~Caller();

  // A call in flight, which Cancel can end. With a deadline, gRPC ends it by the wall clock; if that is set
  // back meanwhile, gRPC's timers rest until it has caught up, keepalive included, so the caller also cancels
  // the call `overdue_after` its deadline by the steady clock. A soak has shown streams that stalled for good
  // within gRPC while both ends and the connection were alive: Await notices those.
  class InFlight {
   public:
    InFlight(Caller* caller, grpc::ClientContext* context,
             std::optional<std::chrono::milliseconds> deadline = std::nullopt);
    ~InFlight();
    InFlight(const InFlight&) = delete;
    InFlight& operator=(const InFlight&) = delete;

    // Calls `read`, which waits for a stream's next message. Cancels the call if that takes `silent_after`.
    bool Await(const std::function<bool()>& read);
    // Translates gRPC's status into ours. IsBusy distinguishes a busy server from one that cannot be reached;
    // other ResourceExhausted statuses (a message that is too large, a full disk) stay as they are. Cancelled
    // without Caller::Cancel becomes Unavailable: a server that ends cancels the calls in flight.
    absl::Status Translate(const grpc::Status& status, const std::string& method) const;

   private:
    void WatchUntil(Clock::time_point until, bool silence);

    Caller* const caller_;
    grpc::ClientContext* const context_;
    const std::optional<std::chrono::milliseconds> deadline_;
    Clock::time_point overdue_ = Clock::time_point::max();
  };

  // Retries while the server cannot be reached or is busy, as long as options.retry_for or busy_for allows.
  // `method`: the call's name, for messages.
  absl::Status Unary(const std::string& method,
                     const std::function<grpc::Status(grpc::ClientContext*)>& call);

  // The answer to `request` by a stub's method, as Unary.
  template <typename Response, typename Stub, typename Request>
  absl::StatusOr<Response> Call(Stub* stub,
                                grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                                const Request& request) {
    Response response;
    RETURN_IF_ERROR(Unary(MethodOf<Request>(), [&](grpc::ClientContext* context) {
      return (stub->*method)(context, request, &response);
    }));
    return response;
  }

  // The attempts of one call. The time limit counts from the first failure: noticing a dead connection may
  // take longer than that limit.
  struct Attempts {
    std::optional<std::chrono::steady_clock::time_point> failed;
    std::chrono::milliseconds backoff{0};
  };
  // Pauses before the next attempt. False when `failure` is not Unavailable, when options.retry_for
  // (options.busy_for, where it is longer and the server is busy) has passed, or when Cancel was called.
  bool WaitToRetry(const absl::Status& failure, Attempts* attempts);

  // Pauses before the next attempt for a random time between half of `backoff` and all of it, so that clients
  // refused together do not return together. False when the pause would pass `give_up`, or when Cancel was
  // called.
  bool WaitToRetry(std::chrono::steady_clock::time_point give_up, std::chrono::milliseconds* backoff);

  void Cancel();

  const std::shared_ptr<grpc::Channel>& channel() const { return channel_; }
  const std::string& address() const { return address_; }
  const ClientOptions& options() const { return options_; }

 private:
  // A call in flight: when to cancel it, and why.
  struct Watched {
    Clock::time_point until = Clock::time_point::max();
    bool silence = false;
    bool cancelled = false;  // by CancelOverdue
  };

  std::chrono::milliseconds Jittered(std::chrono::milliseconds backoff);
  void CancelOverdue();

  const std::string address_;
  const ClientOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool cancelled_ = false;
  std::minstd_rand entropy_{std::random_device()()};  // for pauses
  std::map<grpc::ClientContext*, Watched> calls_;
  Clock::time_point watched_ = Clock::time_point::max();  // until when watch_ sleeps
  bool over_ = false;
  std::condition_variable changed_;  // over_, or a call is overdue before watched_
  std::thread watch_;
};

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_CALLER_H_
