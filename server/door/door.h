// The door in front of gRPC: listens, speaks TLS, watches what clients send, and passes the rest on.
// gRPC 1.51 limits neither resets nor control frames, so that a client without a token could fill its queues.
#ifndef SERVER_DOOR_DOOR_H_
#define SERVER_DOOR_DOOR_H_

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/door/guest_book.h"
#include "server/security/tls_files.h"
#include "server/telemetry/metrics.h"

namespace diopi::server {

// Thread-safe, except that Listen and Stop are called once and in this order.
class Door {
 public:
  // `hand_over` is given the descriptors of connections, which it closes; called on several threads.
  static std::unique_ptr<Door> Create(const DoorLimits& limits, std::function<void(int fd)> hand_over);
  virtual ~Door() = default;  // stops

  // Accepts connections from now on; with `tls`, which may be empty, by TLS. The port; Unavailable, with the
  // reason; InvalidArgument: the texts cannot be used.
  virtual absl::StatusOr<int> Listen(const std::string& host, int port, const TlsTexts& tls) = 0;
  // For connections from now on. InvalidArgument: these texts cannot be used, and the former ones stay.
  virtual absl::Status SetTls(const TlsTexts& tls) = 0;
  // A call of this peer (as gRPC has it) was allowed, so its connection is no stranger's any more.
  virtual void Admit(std::string_view grpc_peer) = 0;
  virtual std::vector<Sample> Samples() = 0;
  // Accepts no more, waits up to `grace` until gRPC has closed the connections and clients have read the last
  // answers, and closes the rest.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
};

// The client behind what gRPC calls a connection's peer: "ipv4:10.0.0.7:51234". Others stay as they are.
std::string ClientOf(const std::string& grpc_peer);

}  // namespace diopi::server

#endif  // SERVER_DOOR_DOOR_H_
