// Clients without a token that abuse HTTP/2 (server/door/attack_testing.h), against a real server, while a
// client with a token is served.
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cases/base/read_file.h"
#include "server/door/attack_testing.h"
#include "server/rpc/program_testing.h"
#include "server/rpc/server_testing.h"
#include "server/security/certificates_testing.h"
#include "server/security/token_file.h"

namespace diopi::server {
namespace {

using testing::HasSubstr;

int PortOf(const std::string& address) {
  return std::stoi(address.substr(address.rfind(':') + 1));
}

double MostMiB(pid_t pid) {
  std::ifstream status(absl::StrCat("/proc/", pid, "/status"));
  for (std::string line; std::getline(status, line);) {
    if (absl::StartsWith(line, "VmHWM:")) return std::stod(line.substr(6)) / 1024;
  }
  return -1;
}

// A client whose calls must all be answered.
class Client {
 public:
  Client(const std::string& address, std::string token, const std::string& ca) : token_(std::move(token)) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    grpc::SslCredentialsOptions ssl;
    ssl.pem_root_certs = ca;
    stub_ = v1::Conformance::NewStub(grpc::CreateCustomChannel(
        address, ca.empty() ? grpc::InsecureChannelCredentials() : grpc::SslCredentials(ssl), arguments));
  }
  grpc::Status Call() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    context.AddMetadata("authorization", absl::StrCat("Bearer ", token_));
    v1::ServerInfoResponse response;
    return stub_->GetServerInfo(&context, {}, &response);
  }

 private:
  const std::string token_;
  std::unique_ptr<v1::Conformance::Stub> stub_;
};

struct AbuseRow {
  Attack attack;
  bool tls;
};

void PrintTo(const AbuseRow& row, std::ostream* out) {
  *out << row.attack.name << (row.tls ? ", tls" : "");
}

class AbuseTest : public testing::TestWithParam<AbuseRow> {};

TEST_P(AbuseTest, OthersAreServedAndTheAttackerIsNamed) {
  const AbuseRow& row = GetParam();
  TestServer beside(false);  // for its data folder
  beside.Stop();
  const std::string token = *AddToken(beside.data_folder(), "ci", Role::kRun);
  std::vector<std::string> arguments = {"--data",      beside.data_folder(), "--listen",
                                        "127.0.0.1:0", "--ready-fd",         "9"};
  const TestAuthority authority;
  std::string ca;
  if (row.tls) {
    const TestPair pair = authority.Issue("server");
    arguments.insert(arguments.end(), {"--tls-cert", pair.certificate, "--tls-key", pair.key});
    ca = *ReadFile(authority.ca(), 1 << 20);
  }
  ServerProcess server(arguments);
  const std::string address = server.Address();
  ASSERT_FALSE(address.empty()) << server.Errors();
  Client client(address, token, ca);
  ASSERT_TRUE(client.Call().ok());
  AttackPlan plan;
  plan.port = PortOf(address);
  plan.tls = row.tls;
  plan.from = "127.0.0.2";
  plan.time = absl::Seconds(60);
  plan.most_closed = 30;
  AttackCounts counts;
  std::atomic<bool> over = false;
  std::thread attacker([&] {
    counts = RunAttack(row.attack, plan, over);
    over = true;
  });
  int answered = 0;
  do {
    const grpc::Status status = client.Call();
    EXPECT_TRUE(status.ok()) << status.error_message();
    over = over || !status.ok();
    ++answered;
  } while (!over);
  attacker.join();
  EXPECT_GE(counts.closed, plan.most_closed) << "after " << counts.steps << " steps";
  EXPECT_TRUE(client.Call().ok());
#if !defined(__SANITIZE_ADDRESS__) && !defined(DIOPI_THREAD_SANITIZER)
  EXPECT_LT(MostMiB(server.pid()), 200);
#endif
  // Once, however often it came.
  int named = 0;
  for (const auto line : absl::StrSplit(server.Printed(), '\n'))
    named += absl::StrContains(line, "address=127.0.0.2");
  EXPECT_EQ(named, 1) << server.Printed();
  EXPECT_FALSE(absl::StrContains(server.Printed(), "address=127.0.0.1 "));
  EXPECT_EQ(server.Stop(SIGTERM), 0);
}

std::vector<AbuseRow> Rows() {
  std::vector<AbuseRow> rows;
  for (const bool tls : {false, true}) {
    for (const Attack& attack : Attacks()) {
      // gRPC itself closes these connections, at their first frame.
      if (attack.name == "reset by the server") continue;
      // One thread cannot shake hands often enough to be refused.
      if (attack.name == "connections" && tls) continue;
      rows.push_back({attack, tls});
    }
  }
  return rows;
}

std::string NameOf(const testing::TestParamInfo<AbuseRow>& row) {
  return absl::StrReplaceAll(row.param.attack.name, {{" ", "_"}}) + (row.param.tls ? "_tls" : "");
}

INSTANTIATE_TEST_SUITE_P(All, AbuseTest, testing::ValuesIn(Rows()), NameOf);

// An attacker that shares the client's address, as in a laboratory behind NAT.
TEST(SharedAddressTest, ConnectionsOnWhichACallWasAllowedAreUntouched) {
  TestServer server(false);
  const std::string token = *AddToken(server.data_folder(), "ci", Role::kRun);
  Client client(server.server().address(), token, "");
  ASSERT_TRUE(client.Call().ok());
  const std::atomic<bool> stop = false;
  AttackPlan plan;
  plan.port = PortOf(server.server().address());
  plan.most_closed = 20;
  plan.time = absl::Seconds(60);
  EXPECT_GE(RunAttack(Attacks().front(), plan, stop).closed, plan.most_closed);
  EXPECT_TRUE(client.Call().ok());
  const std::string metrics = server.server().metrics().Text();
  EXPECT_THAT(metrics, HasSubstr("diopi_door_connections{state=\"admitted\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("diopi_door_closed_total{reason=\"RST_STREAM\"}"));
  EXPECT_THAT(metrics, HasSubstr("diopi_door_offender_closed{address=\"127.0.0.1\"}"));
}

}  // namespace
}  // namespace diopi::server
