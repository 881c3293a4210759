// A client, for the tests of other folders.
#ifndef SERVER_HTTP_HTTP_TESTING_H_
#define SERVER_HTTP_HTTP_TESTING_H_

#include <string>

namespace diopi::server {

struct HttpAnswer {
  int status = 0;  // 0: nobody answered
  std::string content_type;
  std::string body;
};

// `address`: HOST:PORT.
HttpAnswer HttpGet(const std::string& address, const std::string& path);

}  // namespace diopi::server

#endif  // SERVER_HTTP_HTTP_TESTING_H_
