// A small HTTP server for pages, JSON and metrics. The only user of cpp-httplib.
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

namespace diopi::server {

struct HttpRequest {
  std::string method;
  std::string path;                                 // decoded
  std::vector<std::string> matches;                 // what the route's groups matched
  std::multimap<std::string, std::string> query;    // decoded
  std::multimap<std::string, std::string> headers;  // names in lower case
  std::string body;
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

// HTTPS instead of HTTP, TLS 1.2 at least. Paths of PEM files, which have been looked at (server/security,
// ReadTlsFiles).
struct HttpTls {
  std::string certificate;  // with its chain; empty: HTTP
  std::string key;
  std::string client_ca;  // clients must show a certificate that it signed; empty: they need none
};

struct HttpOptions {
  size_t threads = 4;
  size_t max_body_bytes = size_t{1} << 20;
  // For a request to arrive whole, and for an answer to be taken.
  absl::Duration timeout = absl::Seconds(5);
  HttpTls tls;
  // Over plain HTTP a request's Host must be an address, localhost, this machine's name, the name listened
  // on, or one of these; "*": anything. Otherwise a page from elsewhere could have its own name resolve to
  // this machine and read with its visitor's browser what only the visitor may (DNS rebinding). Over HTTPS
  // the certificate settles it.
  std::vector<std::string> hosts;
  // Asked before every handler: a response that is not null is the answer. For authentication.
  std::function<std::unique_ptr<HttpResponse>(const HttpRequest&)> guard;
};

// Register everything, then Listen. Thread-compatible before Listen; afterwards only Stop and address.
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
  // Ends calls in flight, at most the timeout later.
  virtual void Stop() = 0;
  // HOST:PORT with the port that was picked.
  virtual const std::string& address() const = 0;
};

// Whether `host` names this machine alone: 127.0.0.0/8, ::1 or localhost.
bool IsLoopback(const std::string& host);

}  // namespace diopi::server

#endif  // SERVER_HTTP_HTTP_SERVER_H_
