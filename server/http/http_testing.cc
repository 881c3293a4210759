#include "server/http/http_testing.h"

#include <httplib.h>

namespace diopi::server {

HttpAnswer HttpGet(const std::string& address, const std::string& path, const HttpCredentials& credentials) {
  httplib::Client client((credentials.ca.empty() ? "http://" : "https://") + address, credentials.certificate,
                         credentials.key);
  client.set_read_timeout(60);  // a busy machine is slow
  if (!credentials.ca.empty()) client.set_ca_cert_path(credentials.ca);
  httplib::Headers headers;
  if (!credentials.authorization.empty()) headers.emplace("Authorization", credentials.authorization);
  if (!credentials.host.empty()) headers.emplace("Host", credentials.host);
  const auto result = client.Get(path, headers);
  if (!result) return {};
  return {result->status, result->get_header_value("Content-Type"), result->body,
          result->get_header_value("WWW-Authenticate")};
}

}  // namespace diopi::server
