#include "server/http/page.h"

#include <memory>
#include <regex>
#include <string>

#include "server/http/api.h"
#include "server/http/compress.h"
#include "server/http/embedded_page.h"

namespace diopi::server {
namespace {

// The paths that the application's router knows (reports/web/src/lib/router.ts).
constexpr char kPaths[] = "/((index\\.html)|(chips|runs|cases|compare|coverage|models|captures)(/.*)?)?";

// The page itself has a stricter policy with its script's hash; both apply.
constexpr char kPolicy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr char kWithoutPage[] = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>diopi-server</title></head><body>
<h1>diopi-server</h1>
<p>This server was built without Node.js, so the dashboards' page was left out. The data are there as JSON:</p>
<ul>
<li><a href="/api/v1/chips">/api/v1/chips</a></li>
<li>/api/v1/chips/CHIP</li>
<li><a href="/api/v1/runs">/api/v1/runs</a></li>
<li><a href="/api/v1/runs/latest">/api/v1/runs/RUN</a></li>
<li><a href="/api/v1/runs/latest/cases">/api/v1/runs/RUN/cases</a></li>
<li>/api/v1/runs/RUN/cases/CASE</li>
<li><a href="/api/v1/runs/latest/progress">/api/v1/runs/RUN/progress</a></li>
<li>/api/v1/cases/CASE/history?chip=CHIP</li>
<li>/api/v1/compare?a=RUN&amp;b=RUN</li>
<li><a href="/api/v1/coverage">/api/v1/coverage</a></li>
<li><a href="/api/v1/models">/api/v1/models</a></li>
<li>/api/v1/performance?chip=CHIP</li>
<li><a href="/api/v1/captures">/api/v1/captures</a></li>
<li>/api/v1/captures/NAME</li>
<li><a href="/api/v1/schema">/api/v1/schema</a></li>
<li><a href="/api/v1/version">/api/v1/version</a></li>
</ul>
</body></html>
)html";

struct Page {
  std::string html;
  std::string gzip;
};

}  // namespace

std::string_view PageHtml() {
  return EmbeddedPage();
}

bool IsPagePath(std::string_view path) {
  static const std::regex paths(kPaths);
  return std::regex_match(path.begin(), path.end(), paths);
}

void RegisterPage(HttpServer* http) {
  constexpr int kSmallGzip = 9;  // compressed only once
  const std::string html(PageHtml().empty() ? kWithoutPage : PageHtml());
  const auto page = std::make_shared<const Page>(Page{html, Gzip(html, kSmallGzip)});
  http->Get(kPaths, [page](const HttpRequest& request) {
    HttpResponse response = HtmlResponse("");
    response.headers = {{"Content-Security-Policy", kPolicy},
                        {"Referrer-Policy", "no-referrer"},
                        {"Cache-Control", "no-cache"},
                        {"Vary", "Accept-Encoding"}};
    const auto accepted = request.headers.find("accept-encoding");
    if (accepted != request.headers.end() && AcceptsGzip(accepted->second) && !page->gzip.empty()) {
      response.body = page->gzip;
      response.headers.emplace("Content-Encoding", "gzip");
    } else {
      response.body = page->html;
    }
    return response;
  });
}

}  // namespace diopi::server
