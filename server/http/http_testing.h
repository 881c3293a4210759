// A client, for the tests of other folders.
#ifndef SERVER_HTTP_HTTP_TESTING_H_
#define SERVER_HTTP_HTTP_TESTING_H_

#include <string>

namespace diopi::server {

struct HttpAnswer {
  int status = 0;  // 0: no answer, or the server could not prove its identity
  std::string content_type;
  std::string body;
  std::string challenge;  // WWW-Authenticate
};

// A client's credentials. Certificates and keys are paths of PEM files.
struct HttpCredentials {
  std::string authorization;  // the header's value
  std::string ca;             // the authority of the server's certificate, for HTTPS; empty: HTTP
  std::string certificate;    // the client's own, with `key`
  std::string key;
  std::string host = "";  // the Host header; empty: the address
};

// `address`: HOST:PORT.
HttpAnswer HttpGet(const std::string& address, const std::string& path,
                   const HttpCredentials& credentials = {});

}  // namespace diopi::server

#endif  // SERVER_HTTP_HTTP_TESTING_H_
