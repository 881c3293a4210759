// Certificates and keys from files, looked at before gRPC gets them: it would fail without saying why.
#ifndef SERVER_SECURITY_TLS_FILES_H_
#define SERVER_SECURITY_TLS_FILES_H_

#include <string>

#include "absl/status/statusor.h"

namespace diopi::server {

// Paths; empty: not given. Whose authority signs the other side's certificates: `ca`.
struct TlsFiles {
  std::string certificate;
  std::string key;
  std::string ca;
  std::string ca_flag = "--tls-ca";  // as messages call it
  bool any() const { return !certificate.empty() || !key.empty() || !ca.empty(); }
};

// What is in them: PEM.
struct TlsTexts {
  std::string certificate;
  std::string key;
  std::string ca;
};

// InvalidArgument, naming flag and file: a file that cannot be read, is no PEM, has no certificate or key in
// it or one with a pass phrase; a certificate that has expired or is not valid yet; a key that belongs to
// another certificate; one of certificate and key without the other.
absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_TLS_FILES_H_
