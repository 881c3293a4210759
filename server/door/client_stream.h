// A client's connection that never blocks: TCP, with TLS or without.
#ifndef SERVER_DOOR_CLIENT_STREAM_H_
#define SERVER_DOOR_CLIENT_STREAM_H_

#include <sys/types.h>

#include <cstddef>
#include <memory>

#include "cases/base/descriptor.h"

struct ssl_st;      // OpenSSL's SSL
struct ssl_ctx_st;  // and SSL_CTX

namespace diopi::server {

// Move-only. Not thread-safe.
class ClientStream {
 public:
  static constexpr ssize_t kBlocked = 0;
  static constexpr ssize_t kEnded = -1;

  // `tls`: null for plain TCP; it need not outlive the stream. Shakes hands while it reads.
  ClientStream(Descriptor socket, ssl_ctx_st* tls);
  // The bytes that were read or written, kBlocked or kEnded. Both may need the socket to become readable or
  // writable (`wants_write`) with TLS.
  ssize_t Read(char* into, size_t size);
  ssize_t Write(const char* from, size_t size);

  int fd() const { return socket_.get(); }
  bool encrypted() const { return ssl_ != nullptr; }
  // Read waits until the socket is writable.
  bool read_wants_write() const { return read_wants_write_; }
  // Whether client and server have agreed on HTTP/2, as TLS clients must.
  bool SpeaksHttp2() const;

 private:
  struct Free {
    void operator()(ssl_st* ssl) const;
  };
  ssize_t Result(int count);

  Descriptor socket_;
  std::unique_ptr<ssl_st, Free> ssl_;
  bool failed_;  // TLS was asked for, and OpenSSL has no memory
  bool read_wants_write_ = false;
};

// Makes connections with this context agree on HTTP/2 ("h2" in ALPN), and fit for ClientStream.
void PrepareForHttp2(ssl_ctx_st* context);

}  // namespace diopi::server

#endif  // SERVER_DOOR_CLIENT_STREAM_H_
