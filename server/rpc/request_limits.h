// Limits on requests, so that no caller makes the server keep or write more than it should.
#ifndef SERVER_RPC_REQUEST_LIMITS_H_
#define SERVER_RPC_REQUEST_LIMITS_H_

#include <google/protobuf/message.h>

#include "absl/status/status.h"

namespace diopi::server {

// The largest message that gRPC accepts, in bytes: verdicts with backtraces.
inline constexpr int kMaxRequestBytes = 64 << 20;

// InvalidArgument, naming the field and the limit, for: a text, name or list that is too long; a name with a
// character that is not printable, which would reach terminals and logs; a run id that could be a path.
// Checks nested messages too.
absl::Status CheckRequest(const google::protobuf::Message& request);

}  // namespace diopi::server

#endif  // SERVER_RPC_REQUEST_LIMITS_H_
