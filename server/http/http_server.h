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

// Called on any thread, several at a time. Must not throw; if something below does, the answer is 500.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// Each is for the whole of its part, however steadily bytes come: who exceeds it is cut off.
struct HttpDeadlines {
  absl::Duration handshake = absl::Seconds(5);  // of TLS
  absl::Duration header = absl::Seconds(5);     // a connection's first byte; from a request's first byte to
                                                // the end of its headers
  absl::Duration request = absl::Seconds(15);   // from a request's first byte to its last
  absl::Duration response = absl::Minutes(1);   // for the client to take an answer
  absl::Duration idle = absl::Seconds(30);      // between two requests
};

struct HttpOptions {
  size_t threads = 4;  // that call handlers
  size_t max_body_bytes = size_t{1} << 20;
  // At a limit a new connection takes the place of the one that has waited longest for its client; where all
  // are being answered it is refused. A peer is an IPv4 address or an IPv6 /64.
  size_t max_connections = 256;
  size_t max_connections_per_peer = 64;
  HttpDeadlines deadlines;
  TlsTexts tls;  // with a certificate HTTPS, TLS 1.2 at least; with `ca` clients must show one signed by it
  // Over plain HTTP a request's Host must be an address, localhost, this machine's name, the name listened
  // on, or one of these; "*": anything. Otherwise a page from elsewhere could have its own name resolve to
  // this machine and read with its visitor's browser what only the visitor may (DNS rebinding). Over HTTPS
  // the certificate settles it.
  std::vector<std::string> hosts;
  // Asked before every handler: a response that is not null is the answer. For authentication.
  std::function<std::unique_ptr<HttpResponse>(const HttpRequest&)> guard;
  // Told who was refused or cut off for a limit, a deadline, the host or what is no HTTP, and why. Called on
  // several threads; must not block. May be empty.
  std::function<void(const std::string& peer, const std::string& why)> refused;
};

// Register everything, then Listen. Thread-compatible before Listen; afterwards only SetTls, Stop and
// address.
class HttpServer {
 public:
  static std::unique_ptr<HttpServer> Create(const HttpOptions& options);
  virtual ~HttpServer() = default;  // stops

  // `pattern` is an ECMAScript regular expression over the whole path. The first that fits is called. HEAD is
  // answered as GET without the body.
  virtual void Get(const std::string& pattern, HttpHandler handler) = 0;
  virtual void Post(const std::string& pattern, HttpHandler handler) = 0;

  // Serves when it returns. `port` 0: any free one. Unavailable, "cannot listen on HOST:PORT";
  // InvalidArgument for TLS files that cannot be used.
  virtual absl::Status Listen(const std::string& host, int port) = 0;
  // For connections from now on. InvalidArgument: these cannot be used, and the former ones still count.
  virtual absl::Status SetTls(const TlsTexts& tls) = 0;
  // Lets calls in flight end, and clients take their answers for 5 s at most.
  virtual void Stop() = 0;
  // HOST:PORT with the port that was picked.
  virtual const std::string& address() const = 0;
};

// Whether `host` names this machine alone: 127.0.0.0/8, ::1 or localhost.
bool IsLoopback(const std::string& host);

}  // namespace diopi::server

#endif  // SERVER_HTTP_HTTP_SERVER_H_
