// A server's call to itself, by the way that its clients take.
#ifndef SERVER_RPC_SELF_CALL_H_
#define SERVER_RPC_SELF_CALL_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "server/rpc/address.h"

namespace diopi::server {

// How long a server may take for a call to itself before it counts as not serving.
inline constexpr absl::Duration kSelfCallLimit = absl::Seconds(3);

// Thread-safe.
class SelfCall {
 public:
  // `token` is what the server's guard takes for its own (Guard). `encrypted`: the server uses TLS.
  SelfCall(const Address& address, bool encrypted, std::string token);
  // Uses another channel to the same server.
  SelfCall(std::shared_ptr<grpc::Channel> channel, std::string token)
      : channel_(std::move(channel)), token_(std::move(token)) {}

  // Lists a run, which needs a connection, a thread and the database. Unavailable, saying what happened, when
  // no answer comes within kSelfCallLimit.
  absl::Status Try() const;

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  const std::string token_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_SELF_CALL_H_
