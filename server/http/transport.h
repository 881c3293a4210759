// Connections: receives bytes, passes on whole requests, and sends the answers. With stream.h the only user
// of Boost (Asio, and Beast's parser).
#ifndef SERVER_HTTP_TRANSPORT_H_
#define SERVER_HTTP_TRANSPORT_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/http/http_server.h"

namespace diopi::server {

// A request as it arrived: nothing is decoded.
struct ReceivedRequest {
  std::string method;
  std::string target;
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string peer;  // ADDRESS:PORT
};

// Called on one of the pool's threads, several at a time. Must not throw.
using Answerer = std::function<HttpResponse(ReceivedRequest)>;

// One thread reads and writes for all connections and never waits for one of them; handlers run in a pool of
// threads. So a slow client costs a connection until its deadline, and nothing else.
class Transport {
 public:
  // Uses threads, limits, deadlines and `refused` of `options`.
  static std::unique_ptr<Transport> Create(const HttpOptions& options, Answerer answer);
  virtual ~Transport() = default;  // stops

  // As of HttpServer. `tls` without a certificate: plain HTTP.
  virtual absl::Status SetTls(const TlsTexts& tls) = 0;
  // Serves as soon as it returns. Returns the port, or Unavailable.
  virtual absl::StatusOr<int> Listen(const std::string& host, int port) = 0;
  virtual void Stop() = 0;
};

}  // namespace diopi::server

#endif  // SERVER_HTTP_TRANSPORT_H_
