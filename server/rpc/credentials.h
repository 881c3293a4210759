// How a server protects its connections: TLS, or plaintext where nobody else can listen.
#ifndef SERVER_RPC_CREDENTIALS_H_
#define SERVER_RPC_CREDENTIALS_H_

#include <grpcpp/security/server_credentials.h>
#include <sys/stat.h>

#include <memory>
#include <mutex>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "server/rpc/address.h"
#include "server/security/tls_files.h"

namespace diopi::server {

// A TLS server's certificates, which can be replaced while it serves. Thread-safe.
class CertificateSource {
 public:
  explicit CertificateSource(TlsTexts texts)
      : wants_client_certificates_(!texts.ca.empty()), texts_(std::move(texts)) {}
  // Applies to new connections. `texts` come from ReadTlsFiles, and have `ca` if and only if the former ones
  // had it.
  void Set(TlsTexts texts);
  // Texts that Take has not returned before; null: none.
  std::unique_ptr<const TlsTexts> Take();
  bool wants_client_certificates() const { return wants_client_certificates_; }

 private:
  const bool wants_client_certificates_;
  std::mutex mutex_;
  TlsTexts texts_ ABSL_GUARDED_BY(mutex_);
  bool taken_ ABSL_GUARDED_BY(mutex_) = false;
};

struct ServerLine {
  std::shared_ptr<grpc::ServerCredentials> credentials;  // for one server
  std::shared_ptr<CertificateSource> certificates;       // null: plaintext
};

// With `tls.ca` every client must show a certificate that this authority signed. InvalidArgument as of
// ReadTlsFiles, for TLS on a Unix socket, and for plaintext on an address that is not loopback unless
// `insecure`.
absl::StatusOr<ServerLine> MakeServerLine(const Address& address, TlsFiles tls, bool insecure);

// While it lives, sockets that this process makes in the file system are accessible to their owner only. Use
// it only while a server starts: the mask applies to the whole process.
class OwnerOnlySockets {
 public:
  OwnerOnlySockets() : before_(umask(S_IRWXG | S_IRWXO)) {}
  OwnerOnlySockets(const OwnerOnlySockets&) = delete;
  OwnerOnlySockets& operator=(const OwnerOnlySockets&) = delete;
  ~OwnerOnlySockets() { umask(before_); }

 private:
  const mode_t before_;
};

}  // namespace diopi::server

#endif  // SERVER_RPC_CREDENTIALS_H_
