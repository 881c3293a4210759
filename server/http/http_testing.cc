#include "server/http/http_testing.h"

#include <httplib.h>

namespace diopi::server {

HttpAnswer HttpGet(const std::string& address, const std::string& path) {
  httplib::Client client("http://" + address);
  const auto result = client.Get(path);
  if (!result) return {};
  return {result->status, result->get_header_value("Content-Type"), result->body};
}

}  // namespace diopi::server
