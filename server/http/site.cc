// Files stay compressed in memory and are sent so to browsers that accept gzip. A path is looked up among the
// names of the archive and never opened, so it cannot lead out of the site. A damaged archive counts as none,
// as the server works without it.
#include "server/http/site.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "server/http/compress.h"

namespace diopi::server {
namespace {

constexpr char kSite[] = "/docs(/(.*))?";
constexpr size_t kBlock = 512;  // tar's unit

// Scripts and styles are the site's own files, and VitePress puts small ones into its pages.
constexpr char kSitePolicy[] =
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' "
    "data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr char kWithoutSite[] = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>diopi-server</title></head><body>
<h1>The documentation is not installed here</h1>
<p>Build it: <code>cmake --build build --target diopi_docs</code> (Node 18 or newer with npm). The pages are also readable as
Markdown, in the folder <code>docs</code> of the sources.</p>
</body></html>
)html";

// A field of a tar header: up to its first NUL.
std::string Field(std::string_view header, size_t at, size_t length) {
  const std::string_view field = header.substr(at, length);
  return std::string(field.substr(0, field.find('\0')));
}

const char* SiteType(std::string_view name) {
  static constexpr std::pair<const char*, const char*> kTypes[] = {{".html", "text/html; charset=utf-8"},
                                                                   {".js", "text/javascript; charset=utf-8"},
                                                                   {".css", "text/css; charset=utf-8"},
                                                                   {".json", "application/json"},
                                                                   {".svg", "image/svg+xml"},
                                                                   {".woff2", "font/woff2"},
                                                                   {".png", "image/png"}};
  for (const auto& [ending, type] : kTypes) {
    if (absl::EndsWith(absl::string_view(name.data(), name.size()), ending)) return type;
  }
  return "text/plain; charset=utf-8";
}

// The language that comes first in Accept-Language, of the two that the site has.
std::string LanguageFolder(const HttpRequest& request) {
  const auto accepted = request.headers.find("accept-language");
  if (accepted == request.headers.end()) return "en";
  const size_t chinese = accepted->second.find("zh");
  return chinese < accepted->second.find("en") ? "zh" : "en";
}

// Where a path leads that is no file's: a page's name without ".html" (a link inside the page may be
// relative, so one with a slash at its end is redirected) or a folder's. Neither is set: nowhere.
struct Place {
  std::string file;
  std::string redirect;
};

Place PlaceOf(const SiteFiles& files, const std::string& name) {
  if (files.contains(name)) return {name, ""};
  if (absl::EndsWith(name, "/")) {
    if (files.contains(name + "index.html")) return {name + "index.html", ""};
    const std::string page = name.substr(0, name.size() - 1) + ".html";
    return files.contains(page) ? Place{"", page} : Place();
  }
  if (files.contains(name + ".html")) return {name + ".html", ""};
  return files.contains(name + "/index.html") ? Place{"", name + "/"} : Place();
}

HttpResponse SiteAnswer(const SiteFiles& files, const HttpRequest& request) {
  HttpResponse response;
  response.headers = {{"Content-Security-Policy", kSitePolicy},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"},
                      {"Vary", "Accept-Encoding"}};
  std::string name = request.matches.size() > 1 ? request.matches[1] : "";
  Place place = PlaceOf(files, name);
  if (name.empty() && !files.empty()) place.redirect = LanguageFolder(request) + "/";
  if (!place.redirect.empty()) {
    response.status = 302;
    response.headers.emplace("Location", "/docs/" + place.redirect);
    return response;
  }
  name = place.file;
  auto file = files.find(name);
  if (file == files.end()) {
    response.status = 404;
    name = "404.html";
    file = files.find(name);
  }
  response.content_type = SiteType(name);
  if (file == files.end()) {
    response.content_type = "text/html; charset=utf-8";
    response.body = kWithoutSite;
    return response;
  }
  const auto accepted = request.headers.find("accept-encoding");
  if (accepted != request.headers.end() && AcceptsGzip(accepted->second)) {
    response.body = file->second;
    response.headers.emplace("Content-Encoding", "gzip");
  } else {
    response.body = Decompress(file->second);
  }
  return response;
}

}  // namespace

absl::StatusOr<SiteFiles> ReadSite(std::string_view tar) {
  SiteFiles files;
  for (size_t at = 0; at + kBlock <= tar.size();) {
    const std::string_view header = tar.substr(at, kBlock);
    const std::string name = absl::StrCat(Field(header, 345, 155), Field(header, 345, 1).empty() ? "" : "/",
                                          Field(header, 0, 100));
    if (name.empty()) break;  // two empty blocks end the archive
    uint64_t size = 0;
    if (Field(header, 257, 5) != "ustar" ||
        !absl::numbers_internal::safe_strtou64_base(Field(header, 124, 11), &size, 8) ||
        size > tar.size() - at - kBlock) {
      return absl::DataLossError(absl::StrCat("no tar archive at byte ", at));
    }
    absl::string_view path = absl::StripPrefix(name, "./");
    const char type = header[156];
    if ((type == '0' || type == '\0') && absl::ConsumeSuffix(&path, ".gz"))
      files.emplace(std::string(path), std::string(tar.substr(at + kBlock, size)));
    at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
  }
  return files;
}

SiteFiles InstalledSite() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  std::ifstream in(self.parent_path() / "../share/diopi/docs.tar", std::ios::binary);
  const std::string tar((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  absl::StatusOr<SiteFiles> files = ReadSite(tar);
  return files.ok() ? *std::move(files) : SiteFiles();
}

bool IsSitePath(std::string_view path) {
  return path == "/docs" || path.substr(0, 6) == "/docs/";
}

void RegisterSite(HttpServer* http, SiteFiles files) {
  const auto shared = std::make_shared<const SiteFiles>(std::move(files));
  http->Get(kSite, [shared](const HttpRequest& request) { return SiteAnswer(*shared, request); });
}

}  // namespace diopi::server
