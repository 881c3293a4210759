// Routing and rules for requests; sockets, limits and deadlines are Transport's. The target is split at '?'
// before it is decoded, so an encoded '?' stays in the path. The checks of length and Host come first,
// because they protect the handlers; the guard is asked once a route matches. All answers forbid content
// sniffing and, unless a handler says otherwise, caching.
#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdint>
#include <exception>
#include <optional>
#include <regex>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/status_macros.h"
#include "server/http/transport.h"

namespace diopi::server {
namespace {

constexpr size_t kMaxUriBytes = 8192;

int HexDigit(char c) {
  if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) return -1;
  return absl::ascii_isdigit(static_cast<unsigned char>(c))
             ? c - '0'
             : absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
}

// Decodes %XX, and in a query '+' for a space. Anything else stands for itself.
std::string Decode(std::string_view text, bool query) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const int high = text[i] == '%' && i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low >= 0) {
      out.push_back(static_cast<char>(high * 16 + low));
      i += 2;
    } else {
      out.push_back(query && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

HttpRequest RequestOf(ReceivedRequest from) {
  HttpRequest request;
  const std::string_view target = from.target;
  const size_t mark = std::min(target.find('?'), target.size());
  request.method = std::move(from.method);
  request.path = Decode(target.substr(0, mark), false);
  for (const absl::string_view pair :
       absl::StrSplit(from.target.substr(std::min(mark + 1, target.size())), '&', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts = absl::StrSplit(pair, absl::MaxSplits('=', 1));
    request.query.emplace(Decode(parts.first, true), Decode(parts.second, true));
  }
  request.headers = std::move(from.headers);
  request.body = std::move(from.body);
  request.peer = std::move(from.peer);
  return request;
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

class RoutingServer final : public HttpServer {
 public:
  explicit RoutingServer(const HttpOptions& options)
      : options_(options), transport_(Transport::Create(options, [this](ReceivedRequest received) {
          return Finish(Answer(std::move(received)));
        })) {}
  ~RoutingServer() override { Stop(); }

  void Get(const std::string& pattern, HttpHandler handler) override {
    routes_.push_back({"GET", std::regex(pattern), std::move(handler)});
  }
  void Post(const std::string& pattern, HttpHandler handler) override {
    routes_.push_back({"POST", std::regex(pattern), std::move(handler)});
  }

  absl::Status Listen(const std::string& host, int port) override {
    RETURN_IF_ERROR(SetTls(options_.tls));
    const absl::StatusOr<int> bound = transport_->Listen(host, port);
    listening_on_ = host;
    const bool v6 = host.find(':') != std::string::npos;
    address_ = absl::StrCat(v6 ? "[" : "", host, v6 ? "]" : "", ":", bound.ok() ? *bound : port);
    if (bound.ok()) return absl::OkStatus();
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", address_, ": ", absl::AsciiStrToLower(bound.status().message())));
  }

  absl::Status SetTls(const TlsTexts& tls) override { return transport_->SetTls(tls); }
  void OnStop(std::function<void()> end) override { ends_.push_back(std::move(end)); }
  void Stop() override {
    for (const auto& end : std::exchange(ends_, {})) end();
    transport_->Stop();
  }
  const std::string& address() const override { return address_; }

 private:
  struct Route {
    std::string method;
    std::regex pattern;
    HttpHandler handler;
  };

  static HttpResponse StatusAlone(int status) { return {status, "text/plain", "", {}}; }

  HttpResponse Answer(ReceivedRequest received) const {
    if (received.target.size() > kMaxUriBytes) return Refused(received.peer, StatusAlone(414));
    const auto [first, last] = received.headers.equal_range("host");
    const std::string host = first == last ? "" : first->second;
    if (first != last && std::next(first) != last) return Refused(received.peer, StatusAlone(400));
    if (!KnowsHost(host)) {
      return Refused(received.peer, {421,
                                     "text/plain; charset=utf-8",
                                     absl::StrCat("this server does not answer for '", HostName(host),
                                                  "': start it with --http-host NAME\n"),
                                     {}});
    }
    HttpRequest request = RequestOf(std::move(received));
    const std::string method = request.method == "HEAD" ? "GET" : request.method;
    for (const Route& route : routes_) {
      std::smatch matches;
      if (route.method != method || !std::regex_match(request.path, matches, route.pattern)) continue;
      std::vector<std::string> groups;
      for (size_t i = 1; i < matches.size(); ++i) groups.push_back(matches[i].str());
      request.matches = std::move(groups);
      return Call(route.handler, request);
    }
    return StatusAlone(404);
  }

  HttpResponse Call(const HttpHandler& handler, const HttpRequest& request) const {
    try {
      const std::unique_ptr<HttpResponse> refused = options_.guard ? options_.guard(request) : nullptr;
      return refused != nullptr ? std::move(*refused) : handler(request);
    } catch (const std::exception&) {
      return ErrorResponse(absl::InternalError("internal error"));
    }
  }

  HttpResponse Refused(const std::string& peer, HttpResponse response) const {
    if (options_.refused) {
      options_.refused(peer, response.body.empty() ? absl::StrCat("status ", response.status)
                                                   : std::string(absl::StripSuffix(response.body, "\n")));
    }
    return response;
  }

  static HttpResponse Finish(HttpResponse response) {
    if (response.body.empty() && response.status >= 400) response.body = absl::StrCat(response.status, "\n");
    if (!response.headers.contains("Cache-Control")) response.headers.emplace("Cache-Control", "no-store");
    response.headers.emplace("X-Content-Type-Options", "nosniff");
    return response;
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
  std::vector<Route> routes_;
  std::vector<std::function<void()>> ends_;
  std::string listening_on_;
  std::string address_;
  const std::unique_ptr<Transport> transport_;
};

}  // namespace

std::unique_ptr<HttpServer> HttpServer::Create(const HttpOptions& options) {
  return std::make_unique<RoutingServer>(options);
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
