// SHA-256 of a file, as run records name a library.
#ifndef CLIENT_AGENT_SHA256_H_
#define CLIENT_AGENT_SHA256_H_

#include <string>

#include "absl/status/statusor.h"

namespace diopi::agent {

// 64 hex digits. NotFound when the file cannot be opened, Internal when it cannot be read.
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);

}  // namespace diopi::agent

#endif  // CLIENT_AGENT_SHA256_H_
