#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <thread>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace diopi::server {
namespace {

constexpr size_t kMaxUriBytes = 8192;
// A connection that is kept open holds one of the threads.
constexpr int kKeepAliveSeconds = 1;

HttpRequest RequestOf(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  for (size_t i = 1; i < from.matches.size(); ++i) request.matches.push_back(from.matches[i].str());
  for (const auto& [name, value] : from.params) request.query.emplace(name, value);
  for (const auto& [name, value] : from.headers) request.headers.emplace(absl::AsciiStrToLower(name), value);
  request.body = from.body;
  return request;
}

void Answer(const HttpResponse& from, httplib::Response* to) {
  to->status = from.status;
  for (const auto& [name, value] : from.headers) to->set_header(name, value);
  if (!from.headers.contains("Cache-Control")) to->set_header("Cache-Control", "no-store");
  to->set_header("X-Content-Type-Options", "nosniff");
  // The error handler takes an answer without a body of its own for one that nobody gave.
  if (from.body.empty() || from.status >= 400) {
    to->set_content(from.body, from.content_type);
    return;
  }
  // Through a provider httplib sends the bytes as they are: of its own it would compress them, with brotli at
  // its slowest, and those that are compressed once more.
  const auto body = std::make_shared<const std::string>(from.body);
  to->set_content_provider(body->size(), from.content_type,
                           [body](size_t offset, size_t length, httplib::DataSink& sink) {
                             return sink.write(body->data() + offset, length);
                           });
}

// The name in a Host header, without port, brackets and the root's dot.
std::string HostName(const std::string& header) {
  const bool v6 = !header.empty() && header[0] == '[';
  std::string name = v6 ? header.substr(1, header.find(']') - 1) : header.substr(0, header.find(':'));
  if (!name.empty() && name.back() == '.') name.pop_back();
  return name;
}

bool IsAddress(const std::string& host) {
  in6_addr any{};
  return inet_pton(AF_INET, host.c_str(), &any) == 1 || inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

std::string OwnName() {
  std::array<char, HOST_NAME_MAX + 1> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// Null for TLS files that cannot be used.
std::unique_ptr<httplib::Server> MakeServer(const HttpTls& tls) {
  if (tls.certificate.empty()) return std::make_unique<httplib::Server>();
  auto server = std::make_unique<httplib::SSLServer>(tls.certificate.c_str(), tls.key.c_str(),
                                                     tls.client_ca.empty() ? nullptr : tls.client_ca.c_str());
  if (!server->is_valid()) return nullptr;
  if (SSL_CTX_set_min_proto_version(server->ssl_context(), TLS1_2_VERSION) != 1) return nullptr;
  return server;
}

class HttplibServer final : public HttpServer {
 public:
  explicit HttplibServer(const HttpOptions& options) : options_(options), server_(MakeServer(options.tls)) {
    if (server_ == nullptr) return;
    const size_t threads = options.threads;
    server_->new_task_queue = [threads] { return new httplib::ThreadPool(threads); };
    server_->set_payload_max_length(options.max_body_bytes);
    server_->set_keep_alive_timeout(kKeepAliveSeconds);
    const auto seconds =
        static_cast<time_t>(absl::ToInt64Seconds(absl::Ceil(options.timeout, absl::Seconds(1))));
    server_->set_read_timeout(seconds);
    server_->set_write_timeout(seconds);
    // Otherwise two servers may share a port and each gets half of the calls.
    server_->set_socket_options([](socket_t socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    });
    server_->set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          Answer(ErrorResponse(absl::InternalError("internal error")), &response);
        });
    server_->set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) response.set_content(absl::StrCat(response.status, "\n"), "text/plain");
    });
  }
  ~HttplibServer() override { Stop(); }

  void Get(const std::string& pattern, HttpHandler handler) override {
    if (server_ != nullptr) server_->Get(pattern, Wrap(std::move(handler)));
  }
  void Post(const std::string& pattern, HttpHandler handler) override {
    if (server_ != nullptr) server_->Post(pattern, Wrap(std::move(handler)));
  }

  absl::Status Listen(const std::string& host, int port) override {
    if (server_ == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot serve HTTPS with ", options_.tls.certificate, " and ", options_.tls.key));
    }
    const int bound = port == 0                           ? server_->bind_to_any_port(host)
                      : server_->bind_to_port(host, port) ? port
                                                          : -1;
    listening_on_ = host;
    const bool v6 = host.find(':') != std::string::npos;
    address_ = absl::StrCat(v6 ? "[" : "", host, v6 ? "]" : "", ":", bound < 0 ? port : bound);
    if (bound < 0) return absl::UnavailableError(absl::StrCat("cannot listen on ", address_));
    thread_ = std::thread([this] { server_->listen_after_bind(); });
    // Stop has no effect on a server that does not run yet.
    while (!server_->is_running()) std::this_thread::yield();
    return absl::OkStatus();
  }

  void Stop() override {
    if (!thread_.joinable()) return;
    server_->stop();
    thread_.join();
  }

  const std::string& address() const override { return address_; }

 private:
  httplib::Server::Handler Wrap(HttpHandler handler) {
    return [this, handler = std::move(handler)](const httplib::Request& from, httplib::Response& to) {
      if (from.target.size() > kMaxUriBytes) {
        to.status = 414;
        return;
      }
      if (!KnowsHost(from.get_header_value("Host"))) {
        Answer({421,
                "text/plain; charset=utf-8",
                absl::StrCat("this server does not answer for '", HostName(from.get_header_value("Host")),
                             "': start it with --http-host NAME\n"),
                {}},
               &to);
        return;
      }
      const HttpRequest request = RequestOf(from);
      const std::unique_ptr<HttpResponse> refused = options_.guard ? options_.guard(request) : nullptr;
      Answer(refused != nullptr ? *refused : handler(request), &to);
    };
  }

  bool KnowsHost(const std::string& header) const {
    const std::string name = HostName(header);
    const auto is = [&name](const std::string& one) {
      return one == "*" || absl::EqualsIgnoreCase(one, name);
    };
    return !options_.tls.certificate.empty() || name.empty() || IsAddress(name) || is("localhost") ||
           is(listening_on_) || is(OwnName()) ||
           std::any_of(options_.hosts.begin(), options_.hosts.end(), is);
  }

  const HttpOptions options_;
  std::string listening_on_;
  const std::unique_ptr<httplib::Server> server_;  // null: the TLS files cannot be used
  std::thread thread_;
  std::string address_;
};

}  // namespace

std::unique_ptr<HttpServer> HttpServer::Create(const HttpOptions& options) {
  return std::make_unique<HttplibServer>(options);
}

HttpResponse JsonResponse(std::string json) {
  return {200, "application/json", std::move(json), {}};
}

HttpResponse HtmlResponse(std::string html) {
  return {200, "text/html; charset=utf-8", std::move(html), {}};
}

HttpResponse ErrorResponse(const absl::Status& status) {
  HttpResponse response;
  response.body = absl::StrCat(status.message(), "\n");
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kOutOfRange:
      response.status = 400;
      break;
    case absl::StatusCode::kUnauthenticated:
      response.status = 401;
      break;
    case absl::StatusCode::kPermissionDenied:
      response.status = 403;
      break;
    case absl::StatusCode::kNotFound:
      response.status = 404;
      break;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      response.status = 409;
      break;
    case absl::StatusCode::kResourceExhausted:
      response.status = 429;
      break;
    case absl::StatusCode::kUnimplemented:
      response.status = 501;
      break;
    case absl::StatusCode::kUnavailable:
      response.status = 503;
      break;
    case absl::StatusCode::kDeadlineExceeded:
      response.status = 504;
      break;
    default:
      response.status = 500;
      break;
  }
  return response;
}

bool IsLoopback(const std::string& host) {
  if (host == "localhost") return true;
  in_addr v4{};
  constexpr uint32_t kLoopbackNet = 127;
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) return ntohl(v4.s_addr) >> 24 == kLoopbackNet;
  in6_addr v6{};
  return inet_pton(AF_INET6, host.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6) != 0;
}

}  // namespace diopi::server
