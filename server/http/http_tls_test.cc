// What HTTPS accepts from clients, and which certificates it shows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/http/http_server.h"
#include "server/http/http_testing.h"
#include "server/security/certificates_testing.h"
#include "server/security/tls_client_testing.h"

namespace diopi::server {
namespace {

class HttpTlsTest : public testing::Test {
 protected:
  TlsTexts Texts(const std::string& name, bool client_ca = false) const {
    const TestPair pair = authority_.Issue(name);
    const auto texts = ReadTlsFiles({pair.certificate, pair.key, client_ca ? authority_.ca() : ""});
    EXPECT_TRUE(texts.ok()) << texts.status();
    return *texts;
  }
  void Serve(const TlsTexts& tls) {
    HttpOptions options;
    options.tls = tls;
    server_ = HttpServer::Create(options);
    server_->Get("/healthz", [](const HttpRequest&) { return HttpResponse{200, "text/plain", "ok", {}}; });
    const absl::Status status = server_->Listen("127.0.0.1", 0);
    ASSERT_TRUE(status.ok()) << status;
  }
  int Port() const { return std::stoi(server_->address().substr(server_->address().rfind(':') + 1)); }

  const TestAuthority authority_;
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpTlsTest, RefusesOldVersionsAndWeakCiphers) {
  Serve(Texts("server"));
  for (const TlsOfferRow& row : TlsOffers()) {
    EXPECT_EQ(TlsClient::Connect(Port(), row.offer) != nullptr, row.accepted) << row.name;
  }
}

TEST_F(HttpTlsTest, ShowsNewCertificatesToNewConnectionsAndKeepsOpenOnes) {
  Serve(Texts("first"));
  const auto open = TlsClient::Connect(Port());
  ASSERT_NE(open, nullptr);
  EXPECT_EQ(open->server(), "first");
  ASSERT_TRUE(server_->SetTls(Texts("second")).ok());
  EXPECT_EQ(TlsClient::Connect(Port())->server(), "second");
  EXPECT_TRUE(open->Send("GET /healthz HTTP/1.1\r\n\r\n"));
  EXPECT_THAT(open->Receive(), testing::StartsWith("HTTP/1.1 200"));
  TlsTexts bad = Texts("third");
  bad.key = Texts("other").key;
  const absl::Status status = server_->SetTls(bad);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_EQ(TlsClient::Connect(Port())->server(), "second");
}

TEST_F(HttpTlsTest, TheClientsAuthorityCanBeReplacedToo) {
  Serve(Texts("server", true));
  const TestPair client = authority_.Issue("client");
  const HttpCredentials credentials{"", authority_.ca(), client.certificate, client.key};
  EXPECT_EQ(HttpGet(server_->address(), "/healthz", credentials).status, 200);
  TlsTexts tls = Texts("server", true);
  const TestAuthority other;
  tls.ca = ReadTlsFiles({"", "", other.ca()})->ca;
  ASSERT_TRUE(server_->SetTls(tls).ok());
  EXPECT_EQ(HttpGet(server_->address(), "/healthz", credentials).status, 0);
}

TEST_F(HttpTlsTest, ListensWithUsableFilesAlone) {
  HttpOptions options;
  options.tls = Texts("server");
  options.tls.key = "no PEM";
  const absl::Status status = HttpServer::Create(options)->Listen("127.0.0.1", 0);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
}

}  // namespace
}  // namespace diopi::server
