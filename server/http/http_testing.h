// A client, for the tests of other folders.
#ifndef SERVER_HTTP_HTTP_TESTING_H_
#define SERVER_HTTP_HTTP_TESTING_H_

#include <string>

namespace diopi::server {

struct HttpAnswer {
  int status = 0;  // 0: nobody answered, or one who could not prove who it is
  std::string content_type;
  std::string body;
  std::string challenge;  // WWW-Authenticate
};

// What a client sends along. Paths of PEM files.
struct HttpCredentials {
  std::string authorization;  // the header's value
  std::string ca;             // HTTPS, and who must have signed the server's certificate; empty: HTTP
  std::string certificate;    // the client's own, with `key`
  std::string key;
  std::string host = "";  // as which it addresses the server; empty: the address
};

// `address`: HOST:PORT.
HttpAnswer HttpGet(const std::string& address, const std::string& path,
                   const HttpCredentials& credentials = {});

}  // namespace diopi::server

#endif  // SERVER_HTTP_HTTP_TESTING_H_
