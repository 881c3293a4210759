// Clients that are slow on purpose, over HTTP and HTTPS: they cost others nothing, and end at their
// deadlines. The tests wait for the end of a connection, as its client sees it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "server/http/http_server.h"
#include "server/http/http_testing.h"
#include "server/security/certificates_testing.h"
#include "server/security/tls_client_testing.h"

namespace diopi::server {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr int kPatienceMs = 30'000;
constexpr int kDripMs = 5;
constexpr size_t kHuge = 64 << 20;  // more than the kernel keeps for a connection

// A connection, with TLS or without.
class Client {
 public:
  Client(int port, bool tls, int receive_bytes = 0) {
    if (tls) {
      tls_ = TlsClient::Connect(port, {}, receive_bytes);
      EXPECT_NE(tls_, nullptr);
    } else {
      socket_ = Descriptor(ConnectTo(port, "127.0.0.1", receive_bytes));
    }
  }
  int descriptor() const { return tls_ != nullptr ? tls_->descriptor() : socket_.get(); }
  bool Send(std::string_view bytes) {
    if (tls_ != nullptr) return tls_->Send(bytes);
    return send(descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0;
  }

 private:
  Descriptor socket_;
  std::unique_ptr<TlsClient> tls_;
};

// Whether the server ends the connection before `limit_ms` have passed; reads nothing.
bool Ends(int fd, int limit_ms = kPatienceMs) {
  pollfd end{fd, POLLRDHUP, 0};
  return poll(&end, 1, limit_ms) == 1;
}

// Sends a byte now and then until the server ends the connection.
bool DripsUntilTheEnd(Client* client, const std::string& bytes) {
  for (int i = 0; i < kPatienceMs / kDripMs; ++i) {
    if (Ends(client->descriptor(), kDripMs)) return true;
    client->Send(bytes.substr(static_cast<size_t>(i) % bytes.size(), 1));
  }
  return false;
}

class SlowClientsTest : public testing::TestWithParam<bool> {
 protected:
  SlowClientsTest() { std::signal(SIGPIPE, SIG_IGN); }

  void Serve(HttpOptions options) {
    if (GetParam()) {
      const TestPair pair = authority_.Issue("server");
      const auto texts = ReadTlsFiles({pair.certificate, pair.key, ""});
      ASSERT_TRUE(texts.ok()) << texts.status();
      options.tls = *texts;
    }
    options.refused = [this](const std::string& peer, const std::string& why) {
      const std::lock_guard lock(mutex_);
      EXPECT_THAT(peer, testing::StartsWith("127.0.0."));
      refused_.push_back(why);
      changed_.notify_all();
    };
    server_ = nullptr;
    refused_.clear();
    server_ = HttpServer::Create(options);
    server_->Get("/healthz", [](const HttpRequest&) { return HttpResponse{200, "text/plain", "ok", {}}; });
    server_->Get("/page", [](const HttpRequest&) { return HtmlResponse(std::string(300'000, 'p')); });
    server_->Get("/huge", [](const HttpRequest&) { return HtmlResponse(std::string(kHuge, 'h')); });
    server_->Get("/wait", [this](const HttpRequest&) {
      std::unique_lock lock(mutex_);
      ++waiting_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return released_; });
      return HttpResponse{};
    });
    server_->Post("/take", [](const HttpRequest& request) {
      return HttpResponse{200, "text/plain", absl::StrCat(request.body.size()), {}};
    });
    const absl::Status status = server_->Listen("127.0.0.1", 0);
    ASSERT_TRUE(status.ok()) << status;
  }
  int Port() const { return std::stoi(server_->address().substr(server_->address().rfind(':') + 1)); }
  Client Connect(int receive_bytes = 0) const { return {Port(), GetParam(), receive_bytes}; }
  void ExpectAnswers() const {
    const HttpCredentials credentials{"", GetParam() ? authority_.ca() : "", "", ""};
    EXPECT_EQ(HttpGet(server_->address(), "/healthz", credentials).status, 200);
    EXPECT_EQ(HttpGet(server_->address(), "/page", credentials).body.size(), 300'000U);
  }
  void Await(const std::function<bool()>& happened) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::milliseconds(kPatienceMs), happened));
  }
  std::vector<std::string> Refused() {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

  const TestAuthority authority_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> refused_;
  int waiting_ = 0;
  bool released_ = false;
  std::unique_ptr<HttpServer> server_;  // destroyed first
};

constexpr absl::Duration kShort = absl::Milliseconds(300);

// Deadlines so long that only those a test sets expire, however busy the machine is.
HttpOptions Patient() {
  HttpOptions options;
  options.deadlines = {absl::Hours(1), absl::Hours(1), absl::Hours(1), absl::Hours(1), absl::Hours(1)};
  return options;
}

HttpOptions Impatient(absl::Duration HttpDeadlines::*with) {
  HttpOptions options = Patient();
  options.deadlines.*with = kShort;
  return options;
}

TEST_P(SlowClientsTest, CostOthersNothing) {
  HttpOptions options = Patient();
  options.threads = 1;
  Serve(options);
  std::vector<Descriptor> silent;
  std::vector<Client> clients;
  for (int i = 0; i < 10; ++i) {
    silent.emplace_back(ConnectTo(Port()));
    const std::string hello("\x16\x03\x01\x02", 4);  // a handshake's first bytes
    silent.emplace_back(ConnectTo(Port()));
    ASSERT_EQ(send(silent.back().get(), hello.data(), hello.size(), MSG_NOSIGNAL), 4);
    clients.push_back(Connect());
    EXPECT_TRUE(clients.back().Send("GET /page HTTP/1.1\r\nHo"));
    clients.push_back(Connect());
    EXPECT_TRUE(clients.back().Send("POST /take HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"));
  }
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Connect(4096));
    EXPECT_TRUE(clients.back().Send("GET /huge HTTP/1.1\r\n\r\n"));
    ExpectAnswers();
  }
  for (const Client& client : clients) EXPECT_FALSE(Ends(client.descriptor(), 0));
}

TEST_P(SlowClientsTest, AreCutOffAtTheDeadlineOfWhatTheyDo) {
  struct Row {
    absl::Duration HttpDeadlines::*with;
    std::string sends;
    std::string refused;  // empty: nothing, as for a client that is merely idle
  };
  const std::vector<Row> rows = {
      {&HttpDeadlines::header, "", ""},
      {&HttpDeadlines::header, "GET /page HTTP/1.1\r\nHo", "no whole header of a request within 300ms"},
      {&HttpDeadlines::request, "POST /take HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf",
       "no whole request within 300ms"},
      {&HttpDeadlines::response, "GET /huge HTTP/1.1\r\n\r\n", "the answer was not read within 300ms"},
      {&HttpDeadlines::idle, "GET /healthz HTTP/1.1\r\n\r\n", ""},
  };
  for (const Row& row : rows) {
    Serve(Impatient(row.with));
    Client client = Connect(4096);
    if (!row.sends.empty()) {
      EXPECT_TRUE(client.Send(row.sends));
    }
    EXPECT_TRUE(Ends(client.descriptor())) << row.sends;
    EXPECT_EQ(Refused(), row.refused.empty() ? std::vector<std::string>{} : std::vector{row.refused})
        << row.sends;
  }
}

TEST_P(SlowClientsTest, AreCutOffInTheHandshake) {
  if (!GetParam()) GTEST_SKIP() << "plain HTTP has no handshake";
  Serve(Impatient(&HttpDeadlines::handshake));
  const Descriptor silent(ConnectTo(Port()));
  EXPECT_TRUE(Ends(silent.get()));
  EXPECT_THAT(Refused(), testing::ElementsAre("no TLS handshake within 300ms"));
}

TEST_P(SlowClientsTest, GainNothingByAByteNowAndThen) {
  Serve(Impatient(&HttpDeadlines::header));
  Client header = Connect();
  EXPECT_TRUE(header.Send("GET /page HTTP/1.1\r\nX-Odd: "));
  EXPECT_TRUE(DripsUntilTheEnd(&header, "x"));
  EXPECT_THAT(Refused(), testing::ElementsAre("no whole header of a request within 300ms"));
  Serve(Impatient(&HttpDeadlines::request));
  Client body = Connect();
  EXPECT_TRUE(body.Send("POST /take HTTP/1.1\r\nContent-Length: 900000\r\n\r\n"));
  EXPECT_TRUE(DripsUntilTheEnd(&body, "x"));
  Client chunks = Connect();
  EXPECT_TRUE(chunks.Send("POST /take HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"));
  EXPECT_TRUE(DripsUntilTheEnd(&chunks, "1\r\nx\r\n"));
  EXPECT_THAT(Refused(),
              testing::ElementsAre("no whole request within 300ms", "no whole request within 300ms"));
}

TEST_P(SlowClientsTest, MakeRoomAtThePeersLimit) {
  HttpOptions options = Patient();
  options.max_connections_per_peer = 3;
  Serve(options);
  std::vector<Descriptor> others;
  for (int i = 0; i < 3; ++i) others.emplace_back(ConnectTo(Port(), "127.0.0.2"));
  std::vector<Client> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(Connect());
    EXPECT_TRUE(clients.back().Send("GET /p"));
  }
  ExpectAnswers();  // one connection after the other
  // One or two of them were closed: the second answer may have had to wait for the end of the first one's
  // connection.
  const auto gone = std::count_if(clients.begin(), clients.end(),
                                  [](const Client& client) { return Ends(client.descriptor(), 0); });
  EXPECT_GE(gone, 1);
  EXPECT_LE(gone, 2);
  for (const Descriptor& other : others) EXPECT_FALSE(Ends(other.get(), 0));
  EXPECT_THAT(Refused(), Contains(HasSubstr("waited longest")));
}

TEST_P(SlowClientsTest, OfACrowdMakeRoomAtTheLimitOfAll) {
  HttpOptions options = Patient();
  options.max_connections = 6;
  Serve(options);
  Client first = Connect();
  EXPECT_TRUE(first.Send("GET /p"));
  std::vector<Descriptor> crowd;
  for (int i = 0; i < 20; ++i) crowd.emplace_back(ConnectTo(Port(), "127.0.0.2"));
  for (size_t i = 0; i < 15; ++i) EXPECT_TRUE(Ends(crowd[i].get())) << i;
  ExpectAnswers();
  EXPECT_FALSE(Ends(first.descriptor(), 0));
}

TEST_P(SlowClientsTest, NoNewcomerWhereAllAreBeingAnswered) {
  HttpOptions options = Patient();
  options.threads = 2;
  options.max_connections = 2;
  Serve(options);
  std::vector<Client> clients;
  for (int i = 1; i <= 2; ++i) {
    clients.push_back(Connect());
    EXPECT_TRUE(clients.back().Send("GET /wait HTTP/1.1\r\n\r\n"));
    Await([this, i] { return waiting_ == i; });
  }
  const Descriptor third(ConnectTo(Port()));
  EXPECT_TRUE(Ends(third.get()));
  EXPECT_THAT(Refused(), Contains(HasSubstr("too many connections")));
  const std::lock_guard lock(mutex_);
  released_ = true;
  changed_.notify_all();
}

TEST_P(SlowClientsTest, CannotHoldUpTheEnd) {
  HttpOptions options = Patient();
  options.deadlines.response = absl::Milliseconds(300);
  Serve(options);
  Client half = Connect();
  EXPECT_TRUE(half.Send("GET /page HTTP/1.1\r\nHo"));
  Client waits = Connect();
  EXPECT_TRUE(waits.Send("GET /wait HTTP/1.1\r\n\r\n"));
  Await([this] { return waiting_ == 1; });
  std::thread stop([this] { server_->Stop(); });
  EXPECT_TRUE(Ends(half.descriptor()));
  {
    const std::lock_guard lock(mutex_);
    released_ = true;
    changed_.notify_all();
  }
  stop.join();
  char first = 0;  // the answer still came
  EXPECT_EQ(recv(waits.descriptor(), &first, 1, 0), 1);
}

INSTANTIATE_TEST_SUITE_P(Plain, SlowClientsTest, testing::Values(false));
INSTANTIATE_TEST_SUITE_P(Tls, SlowClientsTest, testing::Values(true));

}  // namespace
}  // namespace diopi::server
