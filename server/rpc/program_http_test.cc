// Access over HTTP and HTTPS: the program diopi-server on loopback, called by httplib's client.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "server/http/http_testing.h"
#include "server/rpc/program_testing.h"
#include "server/security/certificates_testing.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

class ProgramHttpTest : public testing::Test {
 protected:
  ProgramHttpTest() : data_(absl::StrCat(authority_.folder(), "/data")) {
    std::signal(SIGPIPE, SIG_IGN);  // the client writes to a server that has hung up
  }

  void Serve(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"--data", data_,    "--listen",    "127.0.0.1:0", "--ready-fd",
                                          "9",      "--http", "127.0.0.1:0", "--log-level", "error"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    server_ = std::make_unique<ServerProcess>(arguments);
    const std::vector<std::string> lines = absl::StrSplit(server_->ReadyLine(), '\n');
    ASSERT_EQ(lines.size(), 3U) << server_->Errors();
    http_ = lines[1].substr(5);
  }
  std::string Token(const std::string& name, Role role) const {
    const absl::StatusOr<std::string> token = AddToken(data_, name, role);
    EXPECT_TRUE(token.ok()) << token.status();
    return token.ok() ? *token : "";
  }

  const TestAuthority authority_;
  const std::string data_;
  std::unique_ptr<ServerProcess> server_;
  std::string http_;
};

struct HttpRow {
  const char* path;
  std::string authorization;
  int status;
  std::string text;
};

TEST_F(ProgramHttpTest, WithoutTokensEverybodyReads) {
  Serve({});
  EXPECT_EQ(HttpGet(http_, "/metrics").status, 200);
  EXPECT_EQ(HttpGet(http_, "/metrics", {"Bearer whatever", "", "", ""}).status, 200);
}

TEST_F(ProgramHttpTest, RoutesWantATokenAndHealthDoesNot) {
  Serve({});
  const std::string read = Token("reader", Role::kRead);  // counts at once
  const std::string admin = Token("boss", Role::kAdmin);
  const std::string revoked = Token("gone", Role::kAdmin);
  ASSERT_TRUE(RevokeToken(data_, "gone").ok());
  const HttpRow rows[] = {
      {"/healthz", "", 200, "serving\n"},
      {"/healthz", "Bearer nonsense", 200, "serving\n"},
      {"/metrics", "", 401, "this server requires a token"},
      {"/metrics", "Bearer ", 401, "this server requires a token"},
      {"/metrics", read, 401, "this server requires a token"},  // without its scheme
      {"/metrics", absl::StrCat("Basic ", read), 401, "this server requires a token"},
      {"/metrics", "Bearer nonsense", 401, "does not know the token"},
      {"/metrics", absl::StrCat("Bearer ", read, "0"), 401, "does not know the token"},
      {"/metrics", absl::StrCat("Bearer ", read.substr(0, read.size() - 1)), 401, "does not know the token"},
      {"/metrics", absl::StrCat("Bearer ", revoked), 401, "does not know the token"},
      {"/metrics", absl::StrCat("Bearer ", read), 200, "diopi_"},
      {"/metrics", absl::StrCat("bearer ", read), 200, "diopi_"},  // RFC 7235: in any case
      {"/metrics", absl::StrCat("Bearer ", admin), 200, "diopi_"},
      {"/nothing", absl::StrCat("Bearer ", read), 404, "404"},
      {"/api/v1/runs", "", 401, "\"code\":\"UNAUTHENTICATED\""},
      {"/api/v1/nothing", "", 401, "this server requires a token"},
      {"/api/v1/runs", absl::StrCat("Bearer ", read), 200, "{\"runs\":[]}"},
      {"/", "", 200, "<!doctype html>"},  // the page holds no data
  };
  for (const HttpRow& row : rows) {
    const HttpAnswer answer = HttpGet(http_, row.path, {row.authorization, "", "", ""});
    EXPECT_EQ(answer.status, row.status) << row.path << " " << row.authorization;
    EXPECT_THAT(answer.body, HasSubstr(row.text)) << row.path << " " << row.authorization;
    EXPECT_EQ(answer.challenge, row.status == 401 ? "Bearer" : "") << row.path << " " << row.authorization;
  }
}

TEST_F(ProgramHttpTest, HttpsWithTheServersCertificate) {
  const TestPair own = authority_.Issue("server");
  Serve({"--tls-cert", own.certificate, "--tls-key", own.key});
  const std::string token = absl::StrCat("Bearer ", Token("reader", Role::kRead));
  EXPECT_EQ(HttpGet(http_, "/healthz", {"", authority_.ca(), "", ""}).body, "serving\n");
  EXPECT_EQ(HttpGet(http_, "/metrics", {"", authority_.ca(), "", ""}).status, 401);
  EXPECT_EQ(HttpGet(http_, "/metrics", {token, authority_.ca(), "", ""}).status, 200);
  const TestAuthority stranger;  // the client does not know the server's authority and hangs up
  EXPECT_EQ(HttpGet(http_, "/healthz", {"", stranger.ca(), "", ""}).status, 0);
  EXPECT_NE(HttpGet(http_, "/metrics", {token, "", "", ""}).status, 200);  // no plain HTTP on that port
}

TEST_F(ProgramHttpTest, MutualTlsAsksForTheClientsCertificate) {
  const TestPair own = authority_.Issue("server");
  const TestPair client = authority_.Issue("client");
  const TestAuthority stranger;
  const TestPair other = stranger.Issue("other");
  Serve({"--tls-cert", own.certificate, "--tls-key", own.key, "--tls-client-ca", authority_.ca()});
  EXPECT_EQ(HttpGet(http_, "/metrics", {"", authority_.ca(), client.certificate, client.key}).status, 200);
  EXPECT_EQ(HttpGet(http_, "/metrics", {"", authority_.ca(), "", ""}).status, 0);
  EXPECT_EQ(HttpGet(http_, "/metrics", {"", authority_.ca(), other.certificate, other.key}).status, 0);
}

}  // namespace
}  // namespace diopi::server
