// Reads certificates and keys, and says what is wrong with them, by flag and file.
#ifndef SERVER_SECURITY_TLS_FILES_H_
#define SERVER_SECURITY_TLS_FILES_H_

#include <string>

#include "absl/status/statusor.h"

namespace diopi::server {

// Paths; empty: not given. `ca`: the authority that signs the other side's certificates.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::string ca;
  std::string ca_flag = "--tls-ca";  // its name in messages
  bool any() const { return !certificate.empty() || !key.empty() || !ca.empty(); }
};

// Their contents, in PEM.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string ca;
};

// InvalidArgument, naming flag and file: a file that cannot be read, is not PEM, or has no certificate or
// key, or a key with a pass phrase; a certificate that has expired or is not valid yet; a key that belongs to
// another certificate; a certificate without a key, or the reverse.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_TLS_FILES_H_
