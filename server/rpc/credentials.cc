#include "server/rpc/credentials.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/security/loopback.h"

namespace diopi::server {

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const Address& address,
                                                                               TlsFiles tls, bool insecure) {
  tls.ca_flag = "--tls-client-ca";
  if (!tls.any()) {
    if (insecure || StaysOnThisMachine(address.Text())) return grpc::InsecureServerCredentials();
    return absl::InvalidArgumentError(absl::StrCat("--listen ", address.Text(),
                                                   " can be reached from other machines: use --tls-cert and "
                                                   "--tls-key, or --insecure to serve without encryption"));
  }
  if (address.is_unix)
    return absl::InvalidArgumentError("a Unix socket takes no --tls-cert, --tls-key or --tls-client-ca");
  if (tls.certificate.empty() && tls.key.empty()) {
    return absl::InvalidArgumentError("--tls-client-ca needs --tls-cert and --tls-key");
  }
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(tls);
  if (!texts.ok()) return texts.status();
  grpc::SslServerCredentialsOptions options(texts->ca.empty()
                                                ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                                : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = texts->ca;
  options.pem_key_cert_pairs.push_back({std::move(texts->key), std::move(texts->certificate)});
  return grpc::SslServerCredentials(options);
}

}  // namespace diopi::server
