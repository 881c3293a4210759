// The program diopi-server takes new certificates when it gets SIGHUP, over gRPC and HTTPS, and logs who was
// refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "cases/base/descriptor.h"
#include "server/http/http_testing.h"
#include "server/rpc/program_testing.h"
#include "server/rpc/server_testing.h"
#include "server/security/certificates_testing.h"
#include "server/security/tls_client_testing.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

int PortOf(const std::string& address) {
  return std::stoi(address.substr(address.rfind(':') + 1));
}

class ProgramReloadTest : public testing::Test {
 protected:
  ProgramReloadTest() : data_(absl::StrCat(authority_.folder(), "/data")) { std::signal(SIGPIPE, SIG_IGN); }

  void Serve(const std::vector<std::string>& more, const char* terminal = nullptr) {
    std::vector<std::string> arguments = {"--data",     data_, "--listen", "127.0.0.1:0",
                                          "--ready-fd", "9",   "--http",   "127.0.0.1:0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_ = std::make_unique<ServerProcess>(arguments, RLIM_INFINITY, terminal);
    const std::vector<std::string> lines = absl::StrSplit(server_->ReadyLine(), '\n');
    ASSERT_EQ(lines.size(), 3U) << server_->Errors();
    grpc_ = lines[0].substr(6);
    http_ = lines[1].substr(5);
  }
  void Replace(const TestPair& pair, const std::string& name) const {
    const TestPair fresh = authority_.Issue(name);
    std::filesystem::rename(fresh.certificate, pair.certificate);
    std::filesystem::rename(fresh.key, pair.key);
  }
  // Sends SIGHUP and polls for the line.
  void Reload(const std::string& expected) {
    kill(server_->pid(), SIGHUP);
    while (server_->Printed().find(expected) == std::string::npos) std::this_thread::yield();
  }
  std::vector<std::string> Shown() const {
    return {TlsClient::Connect(PortOf(grpc_))->server(), TlsClient::Connect(PortOf(http_))->server()};
  }

  const TestAuthority authority_;
  const std::string data_;
  std::unique_ptr<ServerProcess> server_;
  std::string grpc_;
  std::string http_;
};

TEST_F(ProgramReloadTest, NewCertificatesCountFromNowOnAndUnusableOnesNever) {
  const TestPair own = authority_.Issue("first");
  Serve({"--tls-cert", own.certificate, "--tls-key", own.key});
  EXPECT_THAT(Shown(), testing::Each("first"));
  Replace(own, "second");
  EXPECT_THAT(Shown(), testing::Each("first"));
  Reload("event=reloaded");
  EXPECT_THAT(Shown(), testing::Each("second"));
  std::ofstream(own.key) << "no key";
  Reload(absl::StrCat("event=reload_failed status=\"--tls-key ", own.key, ": no private key in PEM"));
  EXPECT_THAT(Shown(), testing::Each("second"));
  Replace(own, "third");
  Reload("level=info event=reloaded certificate=");
  while (Shown() != std::vector<std::string>{"third", "third"}) std::this_thread::yield();
  EXPECT_EQ(server_->Stop(SIGTERM), 0);
}

TEST_F(ProgramReloadTest, ATokenFileThatLetsNobodyInIsSaid) {
  Serve({});
  ASSERT_TRUE(AddToken(data_, "ci", Role::kRead).ok());
  Reload("event=reloaded");
  std::ofstream(TokenPath(data_), std::ios::app) << "garbage\n";
  Reload(absl::StrCat("event=reload_failed status=\"", TokenPath(data_), ":2: not a token"));
  EXPECT_EQ(server_->Stop(SIGTERM), 0);
}

TEST_F(ProgramReloadTest, EndsWithItsTerminalButReloadsBefore) {
  Descriptor terminal(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal.valid() && grantpt(terminal.get()) == 0 && unlockpt(terminal.get()) == 0);
  Serve({}, ptsname(terminal.get()));
  Reload("event=reloaded");
  terminal.Close();
  EXPECT_EQ(server_->Wait(), 0);
  EXPECT_THAT(server_->Errors(), HasSubstr("event=stopping signal=SIGHUP"));
}

TEST_F(ProgramReloadTest, GrpcRefusesOldVersionsAndWeakCiphersToo) {
  const TestPair own = authority_.Issue("server");
  Serve({"--tls-cert", own.certificate, "--tls-key", own.key});
  for (const TlsOfferRow& row : TlsOffers()) {
    EXPECT_EQ(TlsClient::Connect(PortOf(grpc_), row.offer) != nullptr, row.accepted) << row.name;
  }
}

TEST_F(ProgramReloadTest, EveryRefusalIsLoggedWithPeerAndToken) {
  Serve({});
  const std::string read = *AddToken(data_, "reader", Role::kRead);
  const std::string old = *AddToken(data_, "old", Role::kAdmin, absl::Now() - absl::Hours(1));
  EXPECT_EQ(HttpGet(http_, "/metrics").status, 401);
  const HttpAnswer expired = HttpGet(http_, "/metrics", {absl::StrCat("Bearer ", old), "", "", ""});
  EXPECT_EQ(expired.status, 401);
  EXPECT_THAT(expired.body, HasSubstr("the token of 'old' expired on "));
  {
    grpc::ClientContext context;
    context.AddMetadata("authorization", absl::StrCat("Bearer ", read));
    v1::CreateRunResponse response;
    v1::CreateRunRequest request;
    const auto stub =
        v1::Conformance::NewStub(grpc::CreateChannel(grpc_, grpc::InsecureChannelCredentials()));
    EXPECT_EQ(stub->CreateRun(&context, request, &response).error_code(),
              grpc::StatusCode::PERMISSION_DENIED);
  }
  const Descriptor garbage(ConnectTo(PortOf(http_)));
  EXPECT_TRUE(WriteAll(garbage.get(), "\x16\x03\x01 no HTTP\r\n\r\n"));
  char c = 0;
  while (::read(garbage.get(), &c, 1) == 1) {
  }
  server_->Stop(SIGTERM);
  const std::string text = server_->Errors();
  for (
      const char* line : {
          R"(level=warning event=refused path=/metrics code=UNAUTHENTICATED status="this server requires a token.*" peer=127.0.0.1:[0-9]+ token="")",
          R"(event=refused path=/metrics code=UNAUTHENTICATED status="the token of 'old' expired on .*" peer=127.0.0.1:[0-9]+ token=old)",
          R"(event=refused call=CreateRun .*peer=ipv4:127.0.0.1:[0-9]+ token=reader code=PERMISSION_DENIED)",
          R"(event=refused status="status 400" peer=127.0.0.1:[0-9]+ token="")",
      }) {
    EXPECT_THAT(text, ContainsRegex(line));
  }
}

TEST_F(ProgramReloadTest, AScannerFillsNoDisk) {
  Serve({"--require-token"});
  for (int i = 0; i < 500; ++i) EXPECT_EQ(HttpGet(http_, "/metrics").status, 401);
  server_->Stop(SIGTERM);
  const std::vector<std::string> lines = absl::StrSplit(server_->Errors(), '\n');
  EXPECT_LT(lines.size(), 100U);
}

}  // namespace
}  // namespace diopi::server
