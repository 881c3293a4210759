#include "server/door/client_stream.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <string_view>
#include <utility>

namespace diopi::server {
namespace {

constexpr std::string_view kHttp2 = "\x02h2";  // with its length, as in ALPN

int ChooseHttp2(SSL*, const unsigned char** chosen, unsigned char* chosen_size, const unsigned char* offered,
                unsigned int offered_size, void*) {
  unsigned char* found = nullptr;
  const int result =
      SSL_select_next_proto(&found, chosen_size, reinterpret_cast<const unsigned char*>(kHttp2.data()),
                            kHttp2.size(), offered, offered_size);
  *chosen = found;
  return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

SSL* MakeSsl(int fd, SSL_CTX* context) {
  if (context == nullptr) return nullptr;
  SSL* const ssl = SSL_new(context);
  if (ssl == nullptr || SSL_set_fd(ssl, fd) != 1) {
    SSL_free(ssl);
    return nullptr;
  }
  SSL_set_accept_state(ssl);
  return ssl;
}

}  // namespace

void PrepareForHttp2(ssl_ctx_st* context) {
  SSL_CTX_set_alpn_select_cb(context, ChooseHttp2, nullptr);
  // One record at a time: a client that sends key updates alone must not hold the thread.
  SSL_CTX_clear_mode(context, SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
}

void ClientStream::Free::operator()(ssl_st* ssl) const {
  SSL_free(ssl);
}

ClientStream::ClientStream(Descriptor socket, ssl_ctx_st* tls)
    : socket_(std::move(socket)),
      ssl_(MakeSsl(socket_.get(), tls)),
      failed_(tls != nullptr && ssl_ == nullptr) {}

ssize_t ClientStream::Result(int count) {
  if (count > 0) return count;
  const int error = SSL_get_error(ssl_.get(), count);
  ERR_clear_error();
  read_wants_write_ = error == SSL_ERROR_WANT_WRITE;
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? kBlocked : kEnded;
}

ssize_t ClientStream::Read(char* into, size_t size) {
  if (failed_) return kEnded;
  if (ssl_ != nullptr) {
    read_wants_write_ = false;
    return Result(SSL_read(ssl_.get(), into, static_cast<int>(std::min<size_t>(size, INT_MAX))));
  }
  const ssize_t count = recv(socket_.get(), into, size, MSG_DONTWAIT);
  if (count > 0) return count;
  return count < 0 && (errno == EAGAIN || errno == EINTR) ? kBlocked : kEnded;
}

ssize_t ClientStream::Write(const char* from, size_t size) {
  if (ssl_ != nullptr) {
    const bool before = read_wants_write_;
    const ssize_t count =
        Result(SSL_write(ssl_.get(), from, static_cast<int>(std::min<size_t>(size, INT_MAX))));
    read_wants_write_ = before;
    return count;
  }
  const ssize_t count = send(socket_.get(), from, size, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count > 0) return count;
  return count < 0 && (errno == EAGAIN || errno == EINTR) ? kBlocked : kEnded;
}

bool ClientStream::SpeaksHttp2() const {
  if (ssl_ == nullptr) return true;
  const unsigned char* protocol = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
  return std::string_view(reinterpret_cast<const char*>(protocol), size) == kHttp2.substr(1);
}

}  // namespace diopi::server
