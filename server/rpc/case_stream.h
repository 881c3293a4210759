// One case as the messages of a lease: start, inputs and references in chunks, end.
#ifndef SERVER_RPC_CASE_STREAM_H_
#define SERVER_RPC_CASE_STREAM_H_

#include <cstddef>
#include <functional>

#include "diopi/v1/service.pb.h"
#include "server/rpc/baseline_cache.h"

namespace diopi::server {

// gRPC streams best at this size (design.md, platform facts).
inline constexpr size_t kChunkBytes = size_t{1} << 20;

// False: the agent is gone.
using MessageSink = std::function<bool(const v1::LeaseMessage&)>;

// Sends the case; one without a usable baseline goes out with `unavailable` set and no tensors, so that it
// becomes a verdict and the rest goes on. False when the sink refused. `*unavailable` (may be null) gets the
// reason.
bool SendCase(const v1::Case& c, BaselineCache* baselines, const MessageSink& sink, std::string* unavailable);

}  // namespace diopi::server

#endif  // SERVER_RPC_CASE_STREAM_H_
