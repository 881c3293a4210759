// A real server on a loopback port, asked by httplib's client and by a bare socket.
#include "server/http/http_server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

class HttpTest : public testing::Test {
 protected:
  void Serve(const HttpOptions& options) {
    server_ = HttpServer::Create(options);
    server_->Get("/metrics", [](const HttpRequest&) { return HttpResponse{200, "text/plain", "a 1\n", {}}; });
    server_->Get("/json", [](const HttpRequest&) { return JsonResponse("{}"); });
    server_->Get("/page", [](const HttpRequest&) { return HtmlResponse("<p>"); });
    server_->Get("/runs/([a-z]+)/cases", [](const HttpRequest& request) {
      const auto query = request.query.find("q");
      return HttpResponse{
          200,
          "text/plain",
          absl::StrCat(request.matches[0], "|", query == request.query.end() ? "none" : query->second),
          {}};
    });
    server_->Get("/throws", [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("secret"); });
    server_->Get("/missing",
                 [](const HttpRequest&) { return ErrorResponse(absl::NotFoundError("no run x")); });
    server_->Post("/echo", [](const HttpRequest& request) {
      return HttpResponse{200, "text/plain", request.body, {{"X-Odd", "1"}}};
    });
    const absl::Status status = server_->Listen("127.0.0.1", 0);
    ASSERT_TRUE(status.ok()) << status;
  }
  int Port() const { return std::stoi(server_->address().substr(server_->address().rfind(':') + 1)); }
  httplib::Client Client() const { return httplib::Client("127.0.0.1", Port()); }

  std::unique_ptr<HttpServer> server_;
};

// To a browser, a page at evil.example whose name resolves to 127.0.0.1 has the same origin as this server.
TEST_F(HttpTest, AnswersForNamesOfItsOwnAlone) {
  HttpOptions options;
  options.hosts = {"chips.example"};
  Serve(options);
  struct Row {
    std::string host;
    int status;
  };
  const std::vector<Row> rows = {
      {"127.0.0.1", 200},       {"localhost:7411", 200},    {"LocalHost.", 200},
      {"[::1]:80", 200},        {"192.0.2.7:80", 200},      {"chips.example:7411", 200},
      {"evil.example", 421},    {"evil.example:7411", 421}, {"localhost.evil.example", 421},
      {"127.0.0.1.nip.io", 421}};
  httplib::Client client = Client();
  for (const Row& row : rows) {
    const auto result = client.Get("/metrics", {{"Host", row.host}});
    ASSERT_TRUE(result) << row.host << ": " << httplib::to_string(result.error());
    EXPECT_EQ(result->status, row.status) << row.host;
    if (row.status == 421) {
      EXPECT_THAT(result->body, HasSubstr("--http-host"));
    }
  }
}

TEST_F(HttpTest, Routes) {
  Serve({});
  EXPECT_THAT(server_->address(), testing::StartsWith("127.0.0.1:"));
  struct Row {
    std::string path;
    int status;
    std::string type;
    std::string body;
  };
  const std::vector<Row> rows = {
      {"/metrics", 200, "text/plain", "a 1\n"},
      {"/json", 200, "application/json", "{}"},
      {"/page", 200, "text/html; charset=utf-8", "<p>"},
      {"/runs/abc/cases", 200, "text/plain", "abc|none"},
      {"/runs/abc/cases?q=a%20b%26", 200, "text/plain", "abc|a b&"},
      {"/runs/ABC/cases", 404, "text/plain", "404\n"},
      {"/missing", 404, "text/plain; charset=utf-8", "no run x\n"},
      {"/throws", 500, "text/plain; charset=utf-8", "internal error\n"},
      {"/nothing", 404, "text/plain", "404\n"},
      {"/echo", 404, "text/plain", "404\n"},  // POST only
      {"/../etc/passwd", 404, "text/plain", "404\n"},
      {absl::StrCat("/metrics?x=", std::string(9000, 'x')), 414, "text/plain", "414\n"},
  };
  httplib::Client client = Client();
  for (const Row& row : rows) {
    const auto result = client.Get(row.path);
    ASSERT_TRUE(result) << row.path << ": " << httplib::to_string(result.error());
    EXPECT_EQ(result->status, row.status) << row.path;
    EXPECT_EQ(result->body, row.body) << row.path;
    EXPECT_EQ(result->get_header_value("Content-Type"), row.type) << row.path;
  }
  EXPECT_EQ(client.Get("/metrics")->get_header_value("X-Content-Type-Options"), "nosniff");
  const auto head = client.Head("/metrics");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->body, "");
  const auto echo = client.Post("/echo", "body", "text/plain");
  ASSERT_TRUE(echo);
  EXPECT_EQ(echo->body, "body");
  EXPECT_EQ(echo->get_header_value("X-Odd"), "1");
}

TEST_F(HttpTest, TooLargeABodyIsRefused) {
  HttpOptions options;
  options.max_body_bytes = 100;
  Serve(options);
  httplib::Client client = Client();
  EXPECT_EQ(client.Post("/echo", std::string(100, 'x'), "text/plain")->status, 200);
  EXPECT_EQ(client.Post("/echo", std::string(101, 'x'), "text/plain")->status, 413);
}

TEST_F(HttpTest, TheGuardComesFirst) {
  HttpOptions options;
  options.guard = [](const HttpRequest& request) -> std::unique_ptr<HttpResponse> {
    if (request.headers.contains("authorization")) return nullptr;
    return std::make_unique<HttpResponse>(ErrorResponse(absl::UnauthenticatedError("who are you?")));
  };
  Serve(options);
  httplib::Client client = Client();
  EXPECT_EQ(client.Get("/json")->status, 401);
  EXPECT_EQ(client.Get("/json", {{"Authorization", "x"}})->status, 200);
}

int Connect(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(static_cast<uint16_t>(port));
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
  return fd;
}

TEST_F(HttpTest, GarbageAndSilenceHurtNobodyElse) {
  HttpOptions options;
  options.threads = 2;
  options.deadlines.header = absl::Seconds(1);
  Serve(options);
  std::vector<int> open;
  for (const std::string& text :
       {std::string("\x16\x03\x01garbage\r\n\r\n"), std::string("GET"),
        std::string("GET /metrics HTTP/1.1\r\nContent-Length: -5\r\n\r\n"), std::string(100'000, 'A')}) {
    open.push_back(Connect(Port()));
    EXPECT_GT(send(open.back(), text.data(), text.size(), MSG_NOSIGNAL), 0);
  }
  // The silent ones are disconnected after the timeout; the client waits until then.
  httplib::Client client = Client();
  client.set_read_timeout(30);
  const auto result = client.Get("/metrics");
  ASSERT_TRUE(result) << httplib::to_string(result.error());
  EXPECT_EQ(result->status, 200);
  for (const int fd : open) close(fd);
}

// Receives until the text contains `end`; empty: until the server closes.
std::string Receive(int fd, const std::string& end) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (end.empty() || text.find(end) == std::string::npos) {
    const ssize_t count = recv(fd, buffer.data(), buffer.size(), 0);
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
  }
  return text;
}

void Send(int fd, const std::string& text) {
  EXPECT_EQ(send(fd, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
}

TEST_F(HttpTest, AnswersInOrderOnOneConnection) {
  Serve({});
  const int fd = Connect(Port());
  Send(fd,
       "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\nHEAD /metrics HTTP/1.1\r\n\r\n"
       "POST /echo HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  std::string text = Receive(fd, "HTTP/1.1 100 Continue\r\n\r\n");
  Send(fd, "bodyGET /json HTTP/1.1\r\nConnection: close\r\n\r\n");
  text += Receive(fd, "");
  close(fd);
  std::vector<std::string> answers = absl::StrSplit(text, "HTTP/1.1 ", absl::SkipEmpty());
  ASSERT_EQ(answers.size(), 5U) << text;
  EXPECT_THAT(answers[0], testing::EndsWith("\r\n\r\na 1\n"));
  EXPECT_THAT(answers[1], testing::AllOf(HasSubstr("Content-Length: 4\r\n"), testing::EndsWith("\r\n\r\n")));
  EXPECT_THAT(answers[2], testing::StartsWith("100 Continue"));
  EXPECT_THAT(answers[3], testing::EndsWith("\r\n\r\nbody"));
  EXPECT_THAT(answers[4],
              testing::AllOf(HasSubstr("Connection: close\r\n"), testing::EndsWith("\r\n\r\n{}")));
}

TEST_F(HttpTest, RefusesWhatIsNoRequestOrMoreThanOne) {
  Serve({});
  const std::pair<std::string, std::string> rows[] = {
      {"nonsense\r\n\r\n", "400"},
      {"GET /metrics HTTP/1.1\r\nContent-Length: -5\r\n\r\n", "400"},
      {"POST /echo HTTP/1.1\r\nContent-Length: 4\r\nContent-Length: 5\r\n\r\nbody", "400"},
      {"POST /echo HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"},
      {"GET /metrics HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "400"},
      {"GET /metrics HTTP/1.1\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n", "431"},
      {"POST /echo HTTP/1.1\r\nContent-Length: 9999999\r\n\r\n", "413"},
  };
  for (const auto& [request, status] : rows) {
    const int fd = Connect(Port());
    Send(fd, request);
    EXPECT_THAT(Receive(fd, "\r\n\r\n"), testing::StartsWith("HTTP/1.1 " + status)) << request.substr(0, 80);
    close(fd);
  }
}

TEST_F(HttpTest, AHandlerInProgressLearnsThatTheServerStops) {
  server_ = HttpServer::Create({});
  absl::Notification called;
  absl::Notification stops;
  server_->Get("/long", [&](const HttpRequest&) {
    called.Notify();
    stops.WaitForNotification();
    return JsonResponse("{}");
  });
  server_->OnStop([&] { stops.Notify(); });
  ASSERT_TRUE(server_->Listen("127.0.0.1", 0).ok());
  std::thread client([port = Port()] { httplib::Client("127.0.0.1", port).Get("/long"); });
  called.WaitForNotification();
  server_->Stop();  // waits for the handler
  client.join();
}

TEST_F(HttpTest, OnePortOneServer) {
  Serve({});
  const auto second = HttpServer::Create({});
  const absl::Status status = second->Listen("127.0.0.1", Port());
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr(server_->address()));
  server_->Stop();
  EXPECT_TRUE(second->Listen("127.0.0.1", Port()).ok());
}

TEST_F(HttpTest, ManyClientsAtOnce) {
  Serve({});
  std::vector<std::thread> clients;
  clients.reserve(8);
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([this] {
      for (int j = 0; j < 20; ++j) {
        httplib::Client client = Client();
        const auto result = client.Get("/metrics");
        ASSERT_TRUE(result);
        EXPECT_EQ(result->status, 200);
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

TEST(HttpAddressTest, Loopback) {
  for (const char* host : {"127.0.0.1", "127.1.2.3", "::1", "localhost"})
    EXPECT_TRUE(IsLoopback(host)) << host;
  for (const char* host :
       {"0.0.0.0", "::", "192.168.0.1", "128.0.0.1", "example.com", "", "127.0.0.1.example.com"}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

}  // namespace
}  // namespace diopi::server
