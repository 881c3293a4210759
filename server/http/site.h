// The documentation under /docs: the site that the target diopi_docs builds, read from a file beside the
// program, so that neither the program nor its build needs it.
#ifndef SERVER_HTTP_SITE_H_
#define SERVER_HTTP_SITE_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/http/http_server.h"

namespace diopi::server {

// A file of the site, compressed with gzip.
using SiteFiles = std::map<std::string, std::string, std::less<>>;

// The regular files of a tar archive (POSIX ustar), whose names end with ".gz", by their names without it and
// without a leading "./". DataLoss: the text is no such archive.
absl::StatusOr<SiteFiles> ReadSite(std::string_view tar);

// ../share/diopi/docs.tar beside the running program; empty when there is none, or it is damaged.
SiteFiles InstalledSite();

// Whether a path belongs to the site. Like the page, it holds no data and needs no token.
bool IsSitePath(std::string_view path);

// Registers /docs: it leads to the browser's language. Pages are found with and without ".html". Without a
// site, a page says how to build it.
void RegisterSite(HttpServer* http, SiteFiles files);

}  // namespace diopi::server

#endif  // SERVER_HTTP_SITE_H_
