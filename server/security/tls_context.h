// How this server speaks TLS, on every port: TLS 1.2 with forward secrecy and authenticated encryption,
// or 1.3.
#ifndef SERVER_SECURITY_TLS_CONTEXT_H_
#define SERVER_SECURITY_TLS_CONTEXT_H_

#include <memory>

#include "absl/status/statusor.h"
#include "server/security/tls_files.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace diopi::server {

struct FreeTlsContext {
  void operator()(ssl_ctx_st* context) const;
};
using TlsServerContext = std::unique_ptr<ssl_ctx_st, FreeTlsContext>;

// For connections to a server with these texts; with `tls.ca`, clients must show a certificate that this
// authority signed. InvalidArgument for texts that OpenSSL cannot use.
absl::StatusOr<TlsServerContext> MakeTlsServerContext(const TlsTexts& tls);

}  // namespace diopi::server

#endif  // SERVER_SECURITY_TLS_CONTEXT_H_
