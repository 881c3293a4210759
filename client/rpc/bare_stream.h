// For the benchmark of the data path: its rival, a bare gRPC stream of the same chunks on the same machine.
#ifndef CLIENT_RPC_BARE_STREAM_H_
#define CLIENT_RPC_BARE_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::rpc {

// Answers Lease with `bytes` of one and the same chunk of 1 MiB from memory and does nothing else: no file,
// no checksum, no case.
class BareStreamServer {
 public:
  enum class Kind {
    kStub,  // messages through the generated stubs
    kRaw,   // their bytes, serialised once
  };
  // On a free port of the loopback interface; null when it cannot.
  static std::unique_ptr<BareStreamServer> Start(Kind kind, int64_t bytes);
  virtual ~BareStreamServer() = default;
  virtual const std::string& address() const = 0;
};

// Reads a whole stream and throws it away, as messages of the generated stubs or as bytes; how many bytes of
// chunks came.
absl::StatusOr<int64_t> DrawBareStream(const std::string& address, BareStreamServer::Kind kind);

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_BARE_STREAM_H_
