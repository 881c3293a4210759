// Bytes of a client to a real server over loopback: each input is one connection. The server answers with
// HTTP or not at all, soon, and then still answers others. The handler takes the request apart as the JSON
// API does.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "absl/strings/numbers.h"
#include "cases/base/descriptor.h"
#include "server/http/api_parameters.h"
#include "server/http/http_server.h"

namespace {

namespace server = diopi::server;

constexpr char kGood[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
// Far longer than an answer takes on a loaded machine.
constexpr timeval kLimit{8, 0};

[[noreturn]] void Finding(const std::string& what) {
  std::fprintf(stderr, "http_request_fuzz: %s\n", what.c_str());
  std::abort();
}

server::HttpResponse Answer(const server::HttpRequest& request) {
  const server::Parameters parameters(request);
  absl::Status status = parameters.Only({"limit", "from", "to", "outcome", "operator", "dtype", "run"});
  if (status.ok()) status = parameters.Number("limit", 1, 1000, 20).status();
  if (status.ok()) status = parameters.Range().status();
  if (status.ok()) status = parameters.Cases().status();
  if (status.ok()) status = parameters.Required("run").status();
  return status.ok() ? server::JsonResponse("{}") : server::ErrorResponse(status);
}

std::unique_ptr<server::HttpServer> Start() {
  server::HttpOptions options;
  options.threads = 1;
  options.hosts = {"*"};
  // The client waits for less: the machine may be slow.
  options.deadlines.header = options.deadlines.request = options.deadlines.idle = absl::Minutes(1);
  auto http = server::HttpServer::Create(options);
  http->Get("/healthz", [](const server::HttpRequest&) { return server::HttpResponse{}; });
  http->Get("/api/v1/runs/([^/]+)", Answer);
  http->Get("/.*", Answer);
  http->Post("/.*", Answer);
  if (!http->Listen("127.0.0.1", 0).ok()) Finding("it cannot listen");
  return http;
}

std::string Exchange(int port, std::string_view bytes) {
  const diopi::Descriptor connection(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &kLimit, sizeof(kLimit));
  setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &kLimit, sizeof(kLimit));
  if (connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    Finding("it refuses a connection");
  diopi::WriteAll(connection.get(), bytes);  // it may close the connection in the middle
  shutdown(connection.get(), SHUT_WR);
  std::string answer;
  char piece[4096];
  for (;;) {
    const ssize_t got = read(connection.get(), piece, sizeof(piece));
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) Finding("it neither answers nor disconnects");
    if (got <= 0) return answer;
    answer.append(piece, static_cast<size_t>(got));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static server::HttpServer& http = *Start().release();
  static const int port = [] {
    std::signal(SIGPIPE, SIG_IGN);
    int number = 0;
    const std::string& address = http.address();
    if (!absl::SimpleAtoi(address.substr(address.rfind(':') + 1), &number)) Finding("it has no port");
    return number;
  }();
  static int calls = 0;
  const std::string answer = Exchange(port, {reinterpret_cast<const char*>(data), size});
  if (!answer.empty() && answer.rfind("HTTP/1.", 0) != 0) Finding("no HTTP: " + answer.substr(0, 100));
  if (++calls % 16 != 0) return 0;
  const std::string other = Exchange(port, kGood);
  if (other.rfind("HTTP/1.1 200", 0) != 0)
    Finding("others get no answer, but '" + other.substr(0, 100) + "'");
  return 0;
}
