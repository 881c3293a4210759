#include "server/rpc/credentials.h"

#include "absl/strings/str_cat.h"
#include "server/security/loopback.h"

namespace diopi::server {

absl::StatusOr<TlsTexts> ReadServerTls(const Address& address, TlsFiles tls, bool insecure) {
  tls.ca_flag = "--tls-client-ca";
  if (!tls.any()) {
    if (insecure || StaysOnThisMachine(address.Text())) return TlsTexts();
    return absl::InvalidArgumentError(absl::StrCat("--listen ", address.Text(),
                                                   " can be reached from other machines: use --tls-cert and "
                                                   "--tls-key, or --insecure to serve without encryption"));
  }
  if (address.is_unix)
    return absl::InvalidArgumentError("a Unix socket cannot have --tls-cert, --tls-key or --tls-client-ca");
  if (tls.certificate.empty() && tls.key.empty()) {
    return absl::InvalidArgumentError("--tls-client-ca needs --tls-cert and --tls-key");
  }
  return ReadTlsFiles(tls);
}

}  // namespace diopi::server
