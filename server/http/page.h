// The page of the dashboards: one self-contained file, reports/web, embedded by the build.
#ifndef SERVER_HTTP_PAGE_H_
#define SERVER_HTTP_PAGE_H_

#include <string_view>

#include "server/http/http_server.h"

namespace diopi::server {

// Empty: this program was built without Node, and so without the page.
std::string_view PageHtml();

// Registers the page at its paths (IsPagePath); without it, a plain page that says so and lists the API.
void RegisterPage(HttpServer* http);

}  // namespace diopi::server

#endif  // SERVER_HTTP_PAGE_H_
