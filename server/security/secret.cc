#include "server/security/secret.h"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "absl/strings/escaping.h"
#include "cases/base/status_macros.h"

namespace diopi::server {

absl::StatusOr<std::string> RandomBytes(size_t bytes) {
  std::string raw(bytes, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(raw.data()), static_cast<int>(bytes)) != 1) {
    return absl::InternalError("no random numbers are available");
  }
  return raw;
}

absl::StatusOr<std::string> RandomHex(size_t bytes) {
  ASSIGN_OR_RETURN(const std::string raw, RandomBytes(bytes));
  return absl::BytesToHexString(raw);
}

bool SameSecret(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace diopi::server
