#include "server/http/stream.h"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "cases/base/status_macros.h"
#include "server/security/tls_context.h"

namespace diopi::server {
namespace {

namespace ssl = asio::ssl;

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
  ASSIGN_OR_RETURN(TlsServerContext context, MakeTlsServerContext(tls));
  return std::make_shared<ssl::context>(context.release());
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
