#include "server/security/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/security/openssl_handles.h"

namespace diopi::server {
namespace {

// gRPC's own. TLS 1.3 has no others.
constexpr char kCiphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-RSA-AES256-GCM-SHA384";

// Calls `use` with every certificate of `pem`, until it returns false.
template <typename Use>
bool ForEachCertificate(const std::string& pem, const Use& use) {
  const Bio bio = MemoryBio(pem);
  bool any = false;
  for (;;) {
    const Certificate certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (certificate == nullptr) break;
    if (!use(certificate.get())) return false;
    any = true;
  }
  ERR_clear_error();  // the end of the text is an error to OpenSSL
  return any;
}

bool UseTexts(SSL_CTX* context, const TlsTexts& tls) {
  bool first = true;
  if (!ForEachCertificate(tls.certificate, [&](X509* certificate) {
        return (std::exchange(first, false) ? SSL_CTX_use_certificate(context, certificate)
                                            : SSL_CTX_add1_chain_cert(context, certificate)) == 1;
      })) {
    return false;
  }
  const Bio bio = MemoryBio(tls.key);
  const Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr));
  if (key == nullptr || SSL_CTX_use_PrivateKey(context, key.get()) != 1) return false;
  if (tls.ca.empty()) return true;
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return ForEachCertificate(tls.ca, [&](X509* authority) {
    return X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority) == 1 &&
           SSL_CTX_add_client_CA(context, authority) == 1;
  });
}

}  // namespace

void FreeTlsContext::operator()(ssl_ctx_st* context) const {
  SSL_CTX_free(context);
}

absl::StatusOr<TlsServerContext> MakeTlsServerContext(const TlsTexts& tls) {
  TlsServerContext context(SSL_CTX_new(TLS_server_method()));
  // Without resumed sessions every connection uses the current certificates.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  if (SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(context.get(), kCiphers) != 1 ||
      SSL_CTX_set_num_tickets(context.get(), 0) != 1) {
    return absl::InternalError("this OpenSSL has no TLS 1.2 with ECDHE and AES-GCM");
  }
  if (UseTexts(context.get(), tls)) return context;
  const char* const reason = ERR_reason_error_string(ERR_get_error());
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat("the TLS certificate, key or authority cannot be used: ",
                                                 reason == nullptr ? "no certificate in PEM" : reason));
}

}  // namespace diopi::server
