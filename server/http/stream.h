// TCP, with TLS or without, behind one interface. Only transport.cc uses it.
#ifndef SERVER_HTTP_STREAM_H_
#define SERVER_HTTP_STREAM_H_

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "server/security/tls_files.h"

// Boost.Asio's ssl::context.
namespace boost::asio::ssl {
class context;
}

namespace diopi::server {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using TlsContext = asio::ssl::context;

using Done = std::function<void(error_code, size_t)>;

// One operation at a time in each direction; the caller must keep the stream until it is done.
class Stream {
 public:
  virtual ~Stream() = default;
  virtual void Handshake(Done done) = 0;
  virtual void Read(asio::mutable_buffer into, Done done) = 0;
  virtual void Write(const std::array<asio::const_buffer, 2>& bytes, Done done) = 0;
  // Closes this side of the connection, and waits until the other side does, too.
  virtual void Finish(Done done) = 0;
  virtual tcp::socket& socket() = 0;
};

// InvalidArgument for texts that OpenSSL cannot use.
absl::StatusOr<std::shared_ptr<TlsContext>> MakeTlsContext(const TlsTexts& tls);

// Plain TCP if `tls` is null. The context may be destroyed before the stream.
std::unique_ptr<Stream> MakeStream(tcp::socket socket, TlsContext* tls);

// Whether the other side ended the connection, which is not an error.
bool HasLeft(error_code error);

}  // namespace diopi::server

#endif  // SERVER_HTTP_STREAM_H_
