// How a server protects its connections: TLS, or plaintext where nobody else can listen.
#ifndef SERVER_RPC_CREDENTIALS_H_
#define SERVER_RPC_CREDENTIALS_H_

#include <sys/stat.h>

#include "absl/status/statusor.h"
#include "server/rpc/address.h"
#include "server/security/tls_files.h"

namespace diopi::server {

// What the connections of `address` are protected with; empty: plaintext. With `tls.ca` every client must
// show a certificate that this authority signed. InvalidArgument as of ReadTlsFiles, for TLS on a Unix
// socket, and for plaintext on an address that is not loopback unless `insecure`.
absl::StatusOr<TlsTexts> ReadServerTls(const Address& address, TlsFiles tls, bool insecure);

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
