#include "server/http/stream.h"

#include <openssl/ssl.h>

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "absl/strings/str_cat.h"

namespace diopi::server {
namespace {

namespace ssl = asio::ssl;

// The same as gRPC's: TLS 1.2 with forward secrecy and authenticated encryption. TLS 1.3 has no others.
constexpr char kCiphers[] =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-RSA-AES256-GCM-SHA384";

class PlainStream final : public Stream {
 public:
  explicit PlainStream(tcp::socket socket) : socket_(std::move(socket)) {}
  void Handshake(Done done) override { done({}, 0); }
  void Read(asio::mutable_buffer into, Done done) override { socket_.async_read_some(into, std::move(done)); }
  void Write(const std::array<asio::const_buffer, 2>& bytes, Done done) override {
    asio::async_write(socket_, bytes, std::move(done));
  }
  void Finish(Done done) override {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    // Closing with unread bytes would reset the connection before the client has read the answer.
    socket_.async_read_some(asio::buffer(unread_), [this, done = std::move(done)](error_code error, size_t) {
      error ? done(error, 0) : Finish(done);
    });
  }
  tcp::socket& socket() override { return socket_; }

 private:
  tcp::socket socket_;
  std::array<char, 4096> unread_{};
};

class TlsStream final : public Stream {
 public:
  TlsStream(tcp::socket socket, ssl::context& context) : stream_(std::move(socket), context) {}
  void Handshake(Done done) override {
    stream_.async_handshake(ssl::stream_base::server,
                            [done = std::move(done)](error_code error) { done(error, 0); });
  }
  void Read(asio::mutable_buffer into, Done done) override { stream_.async_read_some(into, std::move(done)); }
  void Write(const std::array<asio::const_buffer, 2>& bytes, Done done) override {
    asio::async_write(stream_, bytes, std::move(done));
  }
  void Finish(Done done) override {
    stream_.async_shutdown([done = std::move(done)](error_code error) { done(error, 0); });
  }
  tcp::socket& socket() override { return stream_.next_layer(); }

 private:
  ssl::stream<tcp::socket> stream_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<TlsContext>> MakeTlsContext(const TlsTexts& tls) {
  auto context = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX* const raw = context->native_handle();
  // Without resumed sessions every connection uses the current certificates.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(raw, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  error_code error;
  if (SSL_CTX_set_min_proto_version(raw, TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_cipher_list(raw, kCiphers) != 1 || SSL_CTX_set_num_tickets(raw, 0) != 1) {
    return absl::InternalError("this OpenSSL has no TLS 1.2 with ECDHE and AES-GCM");
  }
  context->use_certificate_chain(asio::buffer(tls.certificate), error);
  if (!error) context->use_private_key(asio::buffer(tls.key), ssl::context::pem, error);
  if (!error && !tls.ca.empty()) {
    context->add_certificate_authority(asio::buffer(tls.ca), error);
    if (!error) context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert, error);
  }
  if (!error) return context;
  return absl::InvalidArgumentError(
      absl::StrCat("the TLS certificate, key or authority cannot be used: ", error.message()));
}

std::unique_ptr<Stream> MakeStream(tcp::socket socket, TlsContext* tls) {
  if (tls != nullptr) return std::make_unique<TlsStream>(std::move(socket), *tls);
  return std::make_unique<PlainStream>(std::move(socket));
}

bool HasLeft(error_code error) {
  return error == asio::error::eof || error == asio::error::connection_reset ||
         error == ssl::error::stream_truncated;
}

}  // namespace diopi::server
