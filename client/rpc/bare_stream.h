// The data path benchmark's baseline: a bare gRPC stream of the same chunks on the same machine.
#ifndef CLIENT_RPC_BARE_STREAM_H_
#define CLIENT_RPC_BARE_STREAM_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace diopi::rpc {

// Answers Lease with `bytes` bytes, always the same 1 MiB chunk from memory, and does nothing else: no file,
// no checksum, no case.
class BareStreamServer {
 public:
  enum class Kind {
    kStub,  // messages through the generated stubs
    kRaw,   // their bytes, serialised once
  };
  // Listens on a free port of the loopback interface; null on failure.
  static std::unique_ptr<BareStreamServer> Start(Kind kind, int64_t bytes);
  virtual ~BareStreamServer() = default;
  virtual const std::string& address() const = 0;
};

// Reads and discards a whole stream, as messages of the generated stubs or as bytes. Returns the number of
// chunk bytes received.
absl::StatusOr<int64_t> DrawBareStream(const std::string& address, BareStreamServer::Kind kind);

}  // namespace diopi::rpc

#endif  // CLIENT_RPC_BARE_STREAM_H_
