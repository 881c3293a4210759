#include "server/security/tls_client_testing.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cases/base/descriptor.h"

namespace diopi::server {
namespace {

struct Free {
  void operator()(SSL* ssl) const { SSL_free(ssl); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};

class OpenSslClient final : public TlsClient {
 public:
  OpenSslClient(Descriptor socket, const TlsOffer& offer)
      : socket_(std::move(socket)), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_set_security_level(context_.get(), 0);  // otherwise OpenSSL itself refuses old versions
    SSL_CTX_set_min_proto_version(context_.get(), offer.lowest);
    SSL_CTX_set_max_proto_version(context_.get(), offer.highest);
    EXPECT_EQ(SSL_CTX_set_cipher_list(context_.get(), offer.ciphers.c_str()), 1) << offer.ciphers;
    if (!offer.application.empty()) {
      const std::string list = static_cast<char>(offer.application.size()) + offer.application;
      SSL_CTX_set_alpn_protos(context_.get(), reinterpret_cast<const unsigned char*>(list.data()),
                              static_cast<unsigned int>(list.size()));
    }
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), socket_.get());
  }

  bool ShakeHands() { return SSL_connect(ssl_.get()) == 1; }
  bool Send(std::string_view bytes) override {
    return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) > 0;
  }
  std::string Receive() override {
    std::array<char, 4096> buffer{};
    const int count = SSL_read(ssl_.get(), buffer.data(), static_cast<int>(buffer.size()));
    return {buffer.data(), static_cast<size_t>(std::max(count, 0))};
  }
  int descriptor() const override { return socket_.get(); }
  std::string protocol() const override { return SSL_get_version(ssl_.get()); }
  std::string server() const override {
    const std::unique_ptr<X509, Free> certificate(SSL_get1_peer_certificate(ssl_.get()));
    if (certificate == nullptr) return "";
    std::array<char, 256> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name.data(),
                              name.size());
    return name.data();
  }

 private:
  const Descriptor socket_;
  const std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
};

sockaddr_in Name(const std::string& host, int port) {
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(port));
  EXPECT_EQ(inet_pton(AF_INET, host.c_str(), &name.sin_addr), 1) << host;
  return name;
}

}  // namespace

std::vector<TlsOfferRow> TlsOffers() {
  return {
      {"TLS 1.0", {TLS1_VERSION, TLS1_VERSION}, false},
      {"TLS 1.1", {TLS1_1_VERSION, TLS1_1_VERSION}, false},
      {"TLS 1.2 without authenticated encryption",
       {TLS1_2_VERSION, TLS1_2_VERSION,
        "ECDHE-ECDSA-AES128-SHA256:ECDHE-ECDSA-AES256-SHA:ECDHE-ECDSA-AES128-SHA"},
       false},
      {"TLS 1.2 with a short tag", {TLS1_2_VERSION, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-CCM8"}, false},
      {"TLS 1.2 of today", {TLS1_2_VERSION, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-GCM-SHA256"}, true},
      {"TLS 1.3", {TLS1_3_VERSION, TLS1_3_VERSION}, true},
  };
}

int ConnectTo(int port, const std::string& from, int receive_bytes) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_bytes > 0) {
    EXPECT_EQ(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes)), 0);
  }
  const sockaddr_in own = Name(from, 0);
  EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof(own)), 0);
  const sockaddr_in server = Name("127.0.0.1", port);
  if (connect(fd, reinterpret_cast<const sockaddr*>(&server), sizeof(server)) == 0) return fd;
  close(fd);
  return -1;
}

std::unique_ptr<TlsClient> TlsClient::Connect(int port, const TlsOffer& offer, int receive_bytes,
                                              const std::string& from) {
  Descriptor socket(ConnectTo(port, from, receive_bytes));
  if (!socket.valid()) return nullptr;
  auto client = std::make_unique<OpenSslClient>(std::move(socket), offer);
  if (!client->ShakeHands()) return nullptr;
  return client;
}

}  // namespace diopi::server
