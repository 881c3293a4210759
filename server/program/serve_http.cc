// All paths need a token with role read, except those that hold no data: probes, the page, the documentation.
// A probe costs little however often it is asked, because one thread at a time tries the server and others
// get its last answer. Texts for strangers do not contain paths of this machine.
#include "server/program/serve_http.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cases/base/status_macros.h"
#include "reports/model/answer.h"
#include "server/http/api.h"
#include "server/http/site.h"
#include "server/program/chip_samples.h"
#include "server/rpc/address.h"
#include "server/security/authorizer.h"
#include "server/store/database.h"
#include "server/store/queries.h"
#include "server/telemetry/log.h"

namespace diopi::server {
namespace {

// `Authorization: Bearer TOKEN`, or the cookie that the dashboards' page sets.
std::string TokenOf(const HttpRequest& request) {
  const auto header = request.headers.find("authorization");
  if (header != request.headers.end()) return std::string(BearerToken(header->second));
  const auto cookie = request.headers.find("cookie");
  return cookie == request.headers.end() ? std::string() : CookieOf(cookie->second, "diopi_token");
}

// Null: the request is allowed. Anybody may ask whether the server serves, and the page and the documentation
// hold no data; all else needs the role read.
std::unique_ptr<HttpResponse> Refuse(const HttpRequest& request, Authorizer* authorizer) {
  const std::string& path = request.path;
  if (path == "/healthz" || path == "/readyz" || IsPagePath(path) || IsSitePath(path)) return nullptr;
  const absl::StatusOr<Identity> caller = authorizer->Check(TokenOf(request), Role::kRead);
  if (caller.ok()) return nullptr;
  LogRefusal(LogLevel::kWarn, {{"path", request.path},
                               {"code", absl::StatusCodeToString(caller.status().code())},
                               {"status", std::string(caller.status().message())},
                               {"peer", request.peer},
                               {"token", RefusedToken(caller.status())}});
  auto refusal = std::make_unique<HttpResponse>(IsApiPath(request.path) ? ApiError(caller.status())
                                                                        : ErrorResponse(caller.status()));
  if (refusal->status == 401) refusal->headers.emplace("WWW-Authenticate", "Bearer");
  return refusal;
}

// Whether the server can serve. Anybody may ask, as often as they like: one thread at a time tries, and
// others get what the last one found, so that probes neither pile up nor wear the disk. Thread-safe.
class Readiness {
 public:
  explicit Readiness(ConformanceServer* server, std::string data_folder)
      : server_(server), data_folder_(std::move(data_folder)) {}

  HttpResponse Ask() {
    const std::unique_lock trying(trying_, std::try_to_lock);
    if (trying.owns_lock() && Clock::now() >= next_) Try();
    const std::lock_guard lock(mutex_);
    if (!server_->serving()) return Answer("not ready\nserver: it is shutting down\n");
    if (begun_.has_value() && Clock::now() - *begun_ > kHanging) {
      return Answer("not ready\nserver: the last check has not ended; it began more than 5 s ago\n");
    }
    return Answer(text_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  // How long an answer holds. Bad ones are soon looked at again.
  static constexpr std::chrono::seconds kReadyFor{5};
  static constexpr std::chrono::seconds kNotReadyFor{1};
  static constexpr std::chrono::seconds kHanging{5};
  static constexpr char kReady[] = "ready\n";

  static HttpResponse Answer(const std::string& text) {
    return {text == kReady ? 200 : 503, "text/plain; charset=utf-8", text, {}};
  }

  void Try() ABSL_EXCLUSIVE_LOCKS_REQUIRED(trying_) {
    {
      const std::lock_guard lock(mutex_);
      begun_ = Clock::now();
    }
    std::string text;
    std::string why;
    for (const ReadyPart& part : server_->Ready()) {
      if (part.status.ok()) continue;
      // Paths are for the log alone: a stranger may read the answer.
      const std::string reason = absl::StrReplaceAll(part.status.message(), {{data_folder_ + "/", ""}});
      absl::StrAppend(&text, part.name, ": ", reason, "\n");
      absl::StrAppend(&why, why.empty() ? "" : "; ", part.name, ": ", part.status.message());
    }
    const bool ready = text.empty();
    next_ = Clock::now() + (ready ? kReadyFor : kNotReadyFor);
    const std::lock_guard lock(mutex_);
    begun_.reset();
    const bool was = text_ == kReady;
    text_ = ready ? kReady : absl::StrCat("not ready\n", text);
    if (was != ready) {
      Log(ready ? LogLevel::kInfo : LogLevel::kError, ready ? "ready" : "not_ready", {{"status", why}});
    }
  }

  ConformanceServer* const server_;
  const std::string data_folder_;
  std::mutex trying_;
  Clock::time_point next_ ABSL_GUARDED_BY(trying_);  // the clock's epoch: long ago
  std::mutex mutex_;
  std::string text_ ABSL_GUARDED_BY(mutex_) = kReady;               // the last answer
  std::optional<Clock::time_point> begun_ ABSL_GUARDED_BY(mutex_);  // of a try in progress
};

// As ServerInfoResponse.dashboards.
std::string DashboardsOf(const ServeHttpOptions& options, const HttpServer& http) {
  const absl::StatusOr<Address> address = ParseAddress(http.address());
  if (!address.ok()) return "";
  std::string host = options.hosts.empty() ? address->host : options.hosts.front();
  if (host == "0.0.0.0" || host == "[::]" || host == "::") host.clear();
  return absl::StrCat(options.tls.any() ? "https" : "http", "://", host, ":", address->port);
}

}  // namespace

std::function<absl::StatusOr<std::string>(const v1::AnswerRequest&)> AnswersFrom(
    const std::string& data_folder) {
  struct Opened {
    std::mutex mutex;
    std::shared_ptr<Queries> queries ABSL_GUARDED_BY(mutex);
  };
  return [path = DatabasePath(data_folder), opened = std::make_shared<Opened>()](
             const v1::AnswerRequest& request) -> absl::StatusOr<std::string> {
    std::shared_ptr<Queries> queries;
    {
      const std::lock_guard lock(opened->mutex);
      if (opened->queries == nullptr) {
        absl::StatusOr<std::unique_ptr<Queries>> made = Queries::Open(path);
        if (!made.ok()) return made.status();
        opened->queries = *std::move(made);
      }
      queries = opened->queries;
    }
    return reports::Answer(*queries, request);
  };
}

absl::StatusOr<std::unique_ptr<HttpServer>> ServeHttp(const ServeHttpOptions& options,
                                                      ConformanceServer* server) {
  if (options.address.empty()) return std::unique_ptr<HttpServer>();
  ASSIGN_OR_RETURN(const Address address, ParseAddress(options.address));
  if (address.is_unix) return absl::InvalidArgumentError("--http takes HOST:PORT, not a Unix socket");
  if (!options.remote && !IsLoopback(address.host)) {
    return absl::InvalidArgumentError("--http " + options.address +
                                      " is not a loopback address; --http-remote allows it");
  }
  RETURN_IF_ERROR(CheckFree(address));
  HttpOptions http_options;
  ASSIGN_OR_RETURN(http_options.tls, ReadTlsFiles(options.tls));
  http_options.hosts = options.hosts;
  http_options.guard = [server](const HttpRequest& request) {
    return Refuse(request, &server->authorizer());
  };
  http_options.refused = [](const std::string& peer, const std::string& why) {
    LogRefusal(LogLevel::kWarn, {{"status", why}, {"peer", peer}, {"token", ""}});
  };
  std::unique_ptr<HttpServer> http = HttpServer::Create(http_options);
  http->Get("/metrics", [server](const HttpRequest&) {
    return HttpResponse{200, "text/plain; version=0.0.4; charset=utf-8", server->metrics().Text(), {}};
  });
  http->Get("/healthz", [server](const HttpRequest&) {
    return server->serving() ? HttpResponse{200, "text/plain", "serving\n", {}}
                             : HttpResponse{503, "text/plain", "draining\n", {}};
  });
  const auto readiness = std::make_shared<Readiness>(server, options.data_folder);
  http->Get("/readyz", [readiness](const HttpRequest&) { return readiness->Ask(); });
  ASSIGN_OR_RETURN(std::unique_ptr<Queries> queries, Queries::Open(DatabasePath(options.data_folder)));
  std::error_code ignored;
  const std::string folder =
      std::filesystem::absolute(options.data_folder, ignored).lexically_normal().string();
  const std::shared_ptr<Queries> shared = std::move(queries);
  server->metrics().AddSource([shared] { return ChipSamples(*shared); });
  RegisterApi(http.get(), shared, {folder, "cpu", DIOPI_VERSION, [server] { return server->Agents(); }});
  RETURN_IF_ERROR(http->Listen(address.host, address.port));
  server->SetDashboards(DashboardsOf(options, *http));
  return http;
}

void Reload(const TlsFiles& tls, ConformanceServer* server, HttpServer* http) {
  const absl::StatusOr<TlsTexts> texts = ReadTlsFiles(tls);
  absl::Status status = texts.status();
  if (status.ok() && http != nullptr) status = http->SetTls(*texts);
  if (status.ok()) status = server->SetTls(*texts);
  if (status.ok()) {
    // Nobody's token: refused as unknown, unless the file cannot be read.
    const absl::Status tokens = server->authorizer().Check("none", Role::kRead).status();
    if (!absl::IsUnauthenticated(tokens)) status = tokens;
  }
  if (!status.ok()) {
    Log(LogLevel::kError, "reload_failed", {{"status", std::string(status.message())}});
    return;
  }
  Log(LogLevel::kInfo, "reloaded", {{"certificate", tls.certificate}});
}

}  // namespace diopi::server
