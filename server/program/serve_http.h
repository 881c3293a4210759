// What diopi-server answers over HTTP, and to whom.
#ifndef SERVER_PROGRAM_SERVE_HTTP_H_
#define SERVER_PROGRAM_SERVE_HTTP_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "server/http/http_server.h"
#include "server/rpc/server.h"
#include "server/security/tls_files.h"

namespace diopi::server {

struct ServeHttpOptions {
  std::string address;  // HOST:PORT; empty: no HTTP
  bool remote = false;  // allows an address other than loopback
  std::vector<std::string> hosts;
  TlsFiles tls;  // without a certificate: plain HTTP
  std::string data_folder;
};

// The dashboards and their API, /metrics, /healthz and /readyz of `server`, which must outlive it. Null
// without an address. InvalidArgument, Unavailable and the database's statuses.
absl::StatusOr<std::unique_ptr<HttpServer>> ServeHttp(const ServeHttpOptions& options,
                                                      ConformanceServer* server);

// Answers about the results in a data folder, for ServerOptions::answer.
std::function<absl::StatusOr<std::string>(const v1::AnswerRequest&)> AnswersFrom(
    const std::string& data_folder);

// Reads the certificates again, for connections from now on, and logs event=reloaded. Certificates that
// cannot be used change nothing, and event=reload_failed says why. The same event reports a token file that
// cannot be read; tokens themselves need no reloading. `http` may be null.
void Reload(const TlsFiles& tls, ConformanceServer* server, HttpServer* http);

}  // namespace diopi::server

#endif  // SERVER_PROGRAM_SERVE_HTTP_H_
