// A small HTTP server for pages, JSON and metrics.
#ifndef SERVER_HTTP_HTTP_SERVER_H_
#define SERVER_HTTP_HTTP_SERVER_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "server/security/tls_files.h"

namespace diopi::server {

struct HttpRequest {
  std::string method;
  std::string path;                                 // decoded
  std::vector<std::string> matches;                 // what the route's groups matched
  std::multimap<std::string, std::string> query;    // decoded
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string body;
  std::string peer;  // ADDRESS:PORT, for the log
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::multimap<std::string, std::string> headers;
};

HttpResponse JsonResponse(std::string json);
HttpResponse HtmlResponse(std::string html);
// The HTTP status that a status stands for (google/rpc/code.proto has the table), with the message as body.
HttpResponse ErrorResponse(const absl::Status& status);

// Called on several threads at once. Must not throw; if it does, the answer is 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Each applies to its phase as a whole, however steadily bytes come; a client that exceeds it is
// disconnected.
struct HttpDeadlines {
  absl::Duration handshake = absl::Seconds(5);  // of TLS
  absl::Duration header = absl::Seconds(5);     // for a connection's first byte; then from a request's to
                                                // the end of its headers
  absl::Duration request = absl::Seconds(15);   // from a request's first byte to its last
  absl::Duration response = absl::Minutes(1);   // for the client to take an answer
  absl::Duration idle = absl::Seconds(30);      // between two requests
};

struct HttpOptions {
  size_t threads = 4;  // that call handlers
  size_t max_body_bytes = size_t{1} << 20;
  // At a limit a new connection replaces the one that has waited longest for its client; if all are being
  // answered, it is refused. A peer is an IPv4 address or an IPv6 /64.
  size_t max_connections = 256;
  size_t max_connections_per_peer = 64;
  HttpDeadlines deadlines;
  TlsTexts tls;  // with a certificate HTTPS, TLS 1.2 at least; with `ca` clients must show one signed by it
  // Over plain HTTP a request's Host must be an address, localhost, this machine's name, the name listened
  // on, or one of these; "*": anything. Otherwise a foreign page could let its own name resolve to this
  // machine and use its visitor's browser to read what only the visitor may read (DNS rebinding). Over HTTPS
  // the certificate prevents that.
  std::vector<std::string> hosts;
  // Asked before every handler: a response that is not null is the answer. For authentication.
  std::function<std::unique_ptr<HttpResponse>(const HttpRequest&)> guard;
  // Called when a client is refused or disconnected for a limit, a deadline, its Host or invalid HTTP. Called
  // on several threads; must not block. May be empty.
  std::function<void(const std::string& peer, const std::string& why)> refused;
};

// Register all handlers, then Listen. Thread-compatible before Listen; afterwards call only SetTls, Stop and
// address.
class HttpServer {
 public:
  static std::unique_ptr<HttpServer> Create(const HttpOptions& options);
  virtual ~HttpServer() = default;  // stops

  // `pattern` is an ECMAScript regular expression over the whole path. The first matching handler is called.
  // HEAD is answered as GET without the body.
  virtual void Get(const std::string& pattern, HttpHandler handler) = 0;
  virtual void Post(const std::string& pattern, HttpHandler handler) = 0;

  // Serves as soon as it returns. `port` 0: any free one. Unavailable, "cannot listen on HOST:PORT";
  // InvalidArgument for TLS files that cannot be used.
  virtual absl::Status Listen(const std::string& host, int port) = 0;
  // Applies to new connections. InvalidArgument: these texts cannot be used, and the former ones stay in
  // force.
  virtual absl::Status SetTls(const TlsTexts& tls) = 0;
  // `end` is called when the server stops: handlers in progress should then end soon. Before Listen.
  virtual void OnStop(std::function<void()> end) = 0;
  // Waits for calls in flight, and up to 5 s for clients to read their answers.
  virtual void Stop() = 0;
  // HOST:PORT with the actual port.
  virtual const std::string& address() const = 0;
};

// Whether `host` names this machine alone: 127.0.0.0/8, ::1 or localhost.
bool IsLoopback(const std::string& host);

}  // namespace diopi::server

#endif  // SERVER_HTTP_HTTP_SERVER_H_
