#include "server/rpc/credentials.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "server/security/loopback.h"

namespace diopi::server {

namespace {

// gRPC's C++ credentials keep the certificates that they were made with; its C core, if given a function,
// asks it for them at every handshake.
class ReloadingCredentials final : public grpc::ServerCredentials {
 public:
  explicit ReloadingCredentials(std::shared_ptr<CertificateSource> source)
      : source_(std::move(source)),
        credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                source_->wants_client_certificates()
                    ? GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY
                    : GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE,
                Fetch, source_.get()))) {}
  ~ReloadingCredentials() override { grpc_server_credentials_release(credentials_); }

  void SetAuthMetadataProcessor(const std::shared_ptr<grpc::AuthMetadataProcessor>&) override {}

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  static grpc_ssl_certificate_config_reload_status Fetch(void* source,
                                                         grpc_ssl_server_certificate_config** config) {
    const std::unique_ptr<const TlsTexts> texts = static_cast<CertificateSource*>(source)->Take();
    if (texts == nullptr) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
    const grpc_ssl_pem_key_cert_pair pair{texts->key.c_str(), texts->certificate.c_str()};
    // gRPC demands an authority even where it asks clients for no certificate and never uses it.
    const std::string& authority = texts->ca.empty() ? texts->certificate : texts->ca;
    *config = grpc_ssl_server_certificate_config_create(authority.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  const std::shared_ptr<CertificateSource> source_;
  grpc_server_credentials* const credentials_;
};

}  // namespace

void CertificateSource::Set(TlsTexts texts) {
  const std::lock_guard lock(mutex_);
  texts_ = std::move(texts);
  taken_ = false;
}

std::unique_ptr<const TlsTexts> CertificateSource::Take() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(taken_, true)) return nullptr;
  return std::make_unique<const TlsTexts>(texts_);
}

absl::StatusOr<ServerLine> MakeServerLine(const Address& address, TlsFiles tls, bool insecure) {
  tls.ca_flag = "--tls-client-ca";
  if (!tls.any()) {
    if (insecure || StaysOnThisMachine(address.Text()))
      return ServerLine{grpc::InsecureServerCredentials(), nullptr};
    return absl::InvalidArgumentError(absl::StrCat("--listen ", address.Text(),
                                                   " can be reached from other machines: use --tls-cert and "
                                                   "--tls-key, or --insecure to serve without encryption"));
  }
  if (address.is_unix)
    return absl::InvalidArgumentError("a Unix socket cannot have --tls-cert, --tls-key or --tls-client-ca");
  if (tls.certificate.empty() && tls.key.empty()) {
    return absl::InvalidArgumentError("--tls-client-ca needs --tls-cert and --tls-key");
  }
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(tls);
  if (!texts.ok()) return texts.status();
  auto source = std::make_shared<CertificateSource>(*std::move(texts));
  return ServerLine{std::make_shared<ReloadingCredentials>(source), source};
}

}  // namespace diopi::server
