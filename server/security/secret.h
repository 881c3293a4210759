// Random secrets and their comparison.
#ifndef SERVER_SECURITY_SECRET_H_
#define SERVER_SECURITY_SECRET_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace diopi::server {

// Returns `bytes` bytes from OpenSSL's generator, or Internal if it has no entropy.
absl::StatusOr<std::string> RandomBytes(size_t bytes);

// The same in hexadecimal digits, two a byte.
absl::StatusOr<std::string> RandomHex(size_t bytes);

// Compares in constant time, which does not reveal where the two differ.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_SECRET_H_
