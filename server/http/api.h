// The JSON API of the dashboards, /api/v1 (API.md), and their page.
#ifndef SERVER_HTTP_API_H_
#define SERVER_HTTP_API_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "diopi/v1/service.pb.h"
#include "server/http/http_server.h"
#include "server/store/queries.h"

namespace diopi::server {

struct ApiOptions {
  std::string data_folder;        // absolute; its baselines have the cases' arguments
  std::string reference = "cpu";  // DATA/baselines/REFERENCE
  std::string version;            // of the program
  std::function<std::vector<v1::AgentInfo>()> agents = nullptr;  // the standing agents; null: there are none
};

// Registers everything under /api/ and the page's paths, on a server that does not listen yet. Handlers may
// be called at the same time and share `queries`.
void RegisterApi(HttpServer* http, std::shared_ptr<Queries> queries, const ApiOptions& options);

// A status as an error of the API: {"error": {"code": "NOT_FOUND", "message": "..."}}.
HttpResponse ApiError(const absl::Status& status);

bool IsApiPath(std::string_view path);
// The paths of the single-page application: they hold no data.
bool IsPagePath(std::string_view path);

// The value of `name` in a Cookie header (RFC 6265); empty: there is none.
std::string CookieOf(std::string_view header, std::string_view name);

}  // namespace diopi::server

#endif  // SERVER_HTTP_API_H_
