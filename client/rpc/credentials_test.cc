// TLS and tokens between the real client and a real gRPC server on loopback.
#include "client/rpc/credentials.h"

#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "cases/base/descriptor.h"
#include "cases/base/status_macros.h"
#include "client/rpc/client.h"
#include "client/rpc/credentials.h"
#include "diopi/v1/service.grpc.pb.h"
#include "server/security/certificates_testing.h"

namespace diopi::rpc {
namespace {

using server::TestAuthority;
using server::TestPair;
using testing::AllOf;
using testing::HasSubstr;

std::string Slurp(const std::string& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Identifies itself, and remembers the received token.
class Service final : public v1::Conformance::Service {
 public:
  grpc::Status GetServerInfo(grpc::ServerContext* context, const v1::ServerInfoRequest*,
                             v1::ServerInfoResponse* response) override {
    const auto found = context->client_metadata().find("authorization");
    const std::lock_guard lock(mutex_);
    token_ = found == context->client_metadata().end()
                 ? ""
                 : std::string(found->second.data(), found->second.size());
    response->set_version("test");
    return grpc::Status::OK;
  }
  std::string token() {
    const std::lock_guard lock(mutex_);
    return token_;
  }

 private:
  std::mutex mutex_;
  std::string token_;
};

class CredentialsTest : public testing::Test {
 protected:
  // Empty certificate: plaintext. With `client_ca`: mutual.
  void Serve(const TestPair& pair, const std::string& client_ca) {
    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials();
    if (!pair.certificate.empty()) {
      grpc::SslServerCredentialsOptions options(
          client_ca.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                            : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
      options.pem_root_certs = client_ca.empty() ? "" : Slurp(client_ca);
      options.pem_key_cert_pairs.push_back({Slurp(pair.key), Slurp(pair.certificate)});
      credentials = grpc::SslServerCredentials(options);
    }
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", credentials, &port);
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    ASSERT_NE(server_, nullptr);
    address_ = absl::StrCat("127.0.0.1:", port);
  }

  absl::Status Connect(const CredentialFiles& files) {
    ASSIGN_OR_RETURN(const Credentials credentials, LoadCredentials(files));
    ClientOptions options;
    options.retry_for = std::chrono::milliseconds(0);
    options.credentials = credentials;
    return Client::Connect(address_, options).status();
  }

  CredentialFiles With(const TestPair& pair) const {
    return {authority_.ca(), pair.certificate, pair.key, "", false};
  }

  const TestAuthority authority_;
  const TestAuthority stranger_;
  Service service_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

TEST_F(CredentialsTest, Tls) {
  Serve(authority_.Issue("server"), "");
  EXPECT_TRUE(Connect({authority_.ca(), "", "", "", false}).ok())
      << Connect({authority_.ca(), "", "", "", false});
  const absl::Status wrong = Connect({stranger_.ca(), "", "", "", false});
  EXPECT_TRUE(absl::IsUnauthenticated(wrong));
  EXPECT_THAT(std::string(wrong.message()),
              AllOf(HasSubstr(address_), HasSubstr("not accepted"), HasSubstr("issuer")));
  const absl::Status plain = Connect({});
  EXPECT_TRUE(absl::IsUnauthenticated(plain)) << plain;
  EXPECT_THAT(std::string(plain.message()), HasSubstr("accepts only TLS: use --tls-ca"));
}

TEST_F(CredentialsTest, MutualTls) {
  Serve(authority_.Issue("server"), authority_.ca());
  EXPECT_TRUE(Connect(With(authority_.Issue("agent"))).ok()) << Connect(With(authority_.Issue("agent")));
  const absl::Status none = Connect({authority_.ca(), "", "", "", false});
  EXPECT_TRUE(absl::IsUnauthenticated(none)) << none;
  EXPECT_THAT(std::string(none.message()), HasSubstr("requires a client certificate: use --tls-cert"));
  const absl::Status other = Connect(With(stranger_.Issue("agent")));
  EXPECT_TRUE(absl::IsUnauthenticated(other)) << other;
  EXPECT_THAT(std::string(other.message()), HasSubstr("does not accept the certificate in --tls-cert"));
}

// As a server that is stopped, or that has too many connections: it says nothing of certificates.
TEST_F(CredentialsTest, AServerThatEndsAConnectionNeedsNoCertificate) {
  const TestPair pair = authority_.Issue("server");
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_server_method()),
                                                                  SSL_CTX_free);
  ASSERT_EQ(SSL_CTX_use_certificate_chain_file(context.get(), pair.certificate.c_str()), 1);
  ASSERT_EQ(SSL_CTX_use_PrivateKey_file(context.get(), pair.key.c_str(), SSL_FILETYPE_PEM), 1);
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in name{AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {}};
  socklen_t size = sizeof(name);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&name), size), 0);
  ASSERT_EQ(listen(listener.get(), 1), 0);
  ASSERT_EQ(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&name), &size), 0);
  std::thread server([&] {
    const Descriptor client(accept(listener.get(), nullptr, nullptr));
    const std::unique_ptr<SSL, decltype(&SSL_free)> session(SSL_new(context.get()), SSL_free);
    SSL_set_fd(session.get(), client.get());
    EXPECT_EQ(SSL_accept(session.get()), 1);
  });
  const absl::StatusOr<Credentials> credentials = LoadCredentials({authority_.ca(), "", "", "", false});
  ASSERT_TRUE(credentials.ok()) << credentials.status();
  const absl::Status told = ExplainTls(absl::StrCat("127.0.0.1:", ntohs(name.sin_port)), *credentials);
  server.join();
  EXPECT_TRUE(told.ok()) << told;
}

TEST_F(CredentialsTest, ExpiredCertificates) {
  Serve(authority_.Issue("server", -3600, -60), "");
  const absl::Status server = Connect({authority_.ca(), "", "", "", false});
  EXPECT_TRUE(absl::IsUnauthenticated(server)) << server;
  EXPECT_THAT(std::string(server.message()), HasSubstr("certificate has expired"));
  const TestPair ours = authority_.Issue("agent", -3600, -60);
  const absl::Status client = Connect(With(ours));
  EXPECT_TRUE(absl::IsInvalidArgument(client)) << client;
  EXPECT_THAT(std::string(client.message()), AllOf(HasSubstr(ours.certificate), HasSubstr("expired on")));
}

TEST_F(CredentialsTest, TlsToAPlaintextServer) {
  Serve({}, "");
  EXPECT_TRUE(Connect({}).ok());
  const absl::Status status = Connect({authority_.ca(), "", "", "", false});
  EXPECT_TRUE(absl::IsUnauthenticated(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("does not use TLS"));
}

TEST_F(CredentialsTest, PlaintextToAnotherMachineIsAskedFor) {
  // A documentation address (RFC 5737): refused before anything is sent.
  address_ = "192.0.2.1:7410";
  const absl::Status status = Connect({});
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr("--tls-ca"), HasSubstr("--insecure")));
  EXPECT_TRUE(CheckEncryption(address_, {"", "", "", "", true}).ok());
}

TEST_F(CredentialsTest, TheTokenTravels) {
  Serve(authority_.Issue("server"), "");
  const std::string file = authority_.folder() + "/token";
  std::ofstream(file) << "diopi_abc\n";
  EXPECT_TRUE(Connect({authority_.ca(), "", "", file, false}).ok());
  EXPECT_EQ(service_.token(), "Bearer diopi_abc");
  ASSERT_EQ(setenv("DIOPI_TOKEN", "diopi_env", 1), 0);
  EXPECT_TRUE(Connect({authority_.ca(), "", "", "", false}).ok());
  EXPECT_EQ(service_.token(), "Bearer diopi_env");
  ASSERT_EQ(unsetenv("DIOPI_TOKEN"), 0);
  EXPECT_TRUE(Connect({authority_.ca(), "", "", "", false}).ok());
  EXPECT_EQ(service_.token(), "");
}

TEST_F(CredentialsTest, TokenFilesThatAreNone) {
  const std::string file = authority_.folder() + "/token";
  const std::string texts[] = {"", "\n", "two words", std::string("a\0b", 3), "a\nb", std::string(5000, 'a')};
  for (const std::string& text : texts) {
    std::ofstream(file, std::ios::binary) << text;
    const absl::Status status = LoadCredentials({"", "", "", file, false}).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_EQ(std::string(status.message()), absl::StrCat("--token-file ", file, ": not a token"));
  }
  const absl::Status missing = LoadCredentials({"", "", "", file + ".no", false}).status();
  EXPECT_THAT(std::string(missing.message()), HasSubstr("cannot be read: No such file"));
}

}  // namespace
}  // namespace diopi::rpc
