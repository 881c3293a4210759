// The program diopi-server as operators see it: stderr, HTTP, signals.
#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cases/base/test_folder.h"
#include "server/http/http_testing.h"
#include "server/rpc/program_testing.h"
#include "server/rpc/server_testing.h"
#include "server/telemetry/exposition.h"

namespace diopi::server {
namespace {

using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class ProgramOperationsTest : public testing::Test {
 protected:
  std::vector<std::string> Arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> all = {"--data", folder_ / "data", "--listen",   "127.0.0.1:0", "--ready-fd",
                                    "9",      "--http",         "127.0.0.1:0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  const TestFolder folder_;
};

struct Addresses {
  std::string grpc;
  std::string http;
};

Addresses AddressesOf(ServerProcess* server) {
  const std::vector<std::string> lines = absl::StrSplit(server->ReadyLine(), '\n');
  if (lines.size() != 3) {
    ADD_FAILURE() << "not two lines: " << lines.size();
    return {};
  }
  return {lines[0].substr(6), lines[1].substr(5)};
}

// A run in which every logged event happens.
void MakeHistory(const std::string& address) {
  TestAgent a(address, "agent \"one\"");
  TestAgent b(address, "b=2");
  v1::CreateRunRequest request;
  *request.mutable_options() = TestOptions({"add"});
  request.mutable_options()->set_chip("chip with spaces level=error");
  const std::string run = a.CreateRun(request)->run_id();
  const size_t leased = a.Lease(run, 1).cases.size();
  EXPECT_EQ(leased, 1U);
  // Poll until a's lease has expired.
  std::vector<ReceivedCase> cases;
  while (true) {
    const ReceivedLease lease = b.Lease(run, 1000);
    if (lease.header.run_complete() || !lease.status.ok()) break;
    if (!lease.cases.empty()) {
      EXPECT_TRUE(b.Report(run, lease.cases).ok());
    }
  }
  request.set_resume_run(run);
  EXPECT_TRUE(b.CreateRun(request).ok());
  EXPECT_TRUE(b.Finish(run, false).ok());
  EXPECT_TRUE(absl::IsInvalidArgument(TestAgent(address, "").Report(run, {}).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(a.GetRun("no such run").status()));
}

const std::vector<std::string> kChatty = {"--lease-s", "0.05", "--slow-call-s", "0"};

TEST_F(ProgramOperationsTest, EveryEventIsALineOfLogfmt) {
  ServerProcess server(Arguments(kChatty));
  MakeHistory(AddressesOf(&server).grpc);
  ASSERT_EQ(server.Stop(SIGTERM), 0);
  const std::string text = server.Errors();
  const std::string run = R"(run_id=[0-9]{8}-[0-9]{6}-[0-9a-f]{4})";
  const std::string chip = R"(chip="chip with spaces level=error")";
  const std::string agent = R"(agent="agent \\"one\\"")";
  for (const std::string& line : std::vector<std::string>{
           absl::StrCat("level=info event=run_created ", run, " ", chip),
           absl::StrCat("level=warning event=lease_expired ", run, " ", agent, " lease=[0-9]+ cases=1"),
           absl::StrCat("level=info event=run_resumed ", run),
           absl::StrCat("level=info event=run_finished ", run, " agent=\"b=2\" ", chip,
                        " done=[0-9]+ cases=[0-9]+"),
           absl::StrCat("level=warning event=refused call=Report ", run,
                        " agent=\"\" peer=ipv4:127.0.0.1:[0-9]+ token=anyone code=INVALID_ARGUMENT"),
           "event=refused call=GetRun run_id=\"no such run\" agent=\"\" peer=ipv4:127.0.0.1:[0-9]+ "
           "token=anyone code=INVALID_ARGUMENT status=\"",
           absl::StrCat("event=slow_call call=Lease ", run, " agent=\"b=2\" seconds=[0-9.e-]+ code=OK"),
           "level=info event=stopping signal=SIGTERM",
           "level=info event=stopped",
       }) {
    EXPECT_THAT(text, ContainsRegex(line));
  }
  // Nothing can forge a line.
  for (const auto& line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    EXPECT_THAT(std::string(line), testing::StartsWith("time=")) << text;
  }
}

TEST_F(ProgramOperationsTest, EveryEventIsALineOfJson) {
  std::vector<std::string> arguments = kChatty;
  arguments.insert(arguments.end(), {"--log-format", "json"});
  ServerProcess server(Arguments(arguments));
  MakeHistory(AddressesOf(&server).grpc);
  ASSERT_EQ(server.Stop(SIGTERM), 0);
  std::multimap<std::string, google::protobuf::Struct> events;
  for (const auto& line : absl::StrSplit(server.Errors(), '\n', absl::SkipEmpty())) {
    google::protobuf::Struct parsed;
    const auto status = google::protobuf::util::JsonStringToMessage(std::string(line), &parsed);
    ASSERT_TRUE(status.ok()) << line << ": " << status.ToString();
    for (const char* key : {"time", "level", "event"}) EXPECT_TRUE(parsed.fields().contains(key)) << line;
    events.emplace(parsed.fields().at("event").string_value(), parsed);
  }
  for (const char* event : {"serving", "run_created", "lease_expired", "run_resumed", "run_finished",
                            "refused", "slow_call", "stopping", "stopped"}) {
    EXPECT_TRUE(events.contains(event)) << event;
  }
  const auto& created = events.find("run_created")->second.fields();
  EXPECT_EQ(created.at("chip").string_value(), "chip with spaces level=error");
  EXPECT_GT(created.at("cases").number_value(), 0);
  EXPECT_EQ(events.find("lease_expired")->second.fields().at("agent").string_value(), "agent \"one\"");
}

TEST_F(ProgramOperationsTest, MetricsOverHttp) {
  ServerProcess server(Arguments({}));
  const Addresses addresses = AddressesOf(&server);
  EXPECT_EQ(HttpGet(addresses.http, "/healthz").body, "serving\n");
  TestAgent agent(addresses.grpc, "a");
  const auto run = agent.CreateRun({"relu"});
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ(agent.DoAll(run->run_id(), 16), run->cases());
  const HttpAnswer answer = HttpGet(addresses.http, "/metrics");
  EXPECT_EQ(answer.status, 200);
  EXPECT_THAT(answer.content_type, HasSubstr("text/plain; version=0.0.4"));
  const auto series = ParseExposition(answer.body);
  ASSERT_TRUE(series.ok()) << series.status();
  EXPECT_EQ(series->at(R"(diopi_verdicts_total{chip="chip",outcome="pass"})"),
            static_cast<double>(run->cases()));
  EXPECT_EQ(series->at("diopi_cases_leased_total"), static_cast<double>(run->cases()));
  EXPECT_EQ(HttpGet(addresses.http, "/no-such-page").status, 404);
  EXPECT_EQ(server.Stop(SIGTERM), 0);
  EXPECT_EQ(HttpGet(addresses.http, "/healthz").status, 0);
}

TEST_F(ProgramOperationsTest, HttpAddressesThatAreRefused) {
  struct Row {
    std::vector<std::string> arguments;
    int exit;
    std::string says;
  };
  ServerProcess first(Arguments({}));
  const std::string taken = AddressesOf(&first).http;
  for (const Row& row : std::vector<Row>{{{"--http", "0.0.0.0:0"}, 2, "--http-remote allows it"},
                                         {{"--http", "unix:/tmp/x"}, 2, "not a Unix socket"},
                                         {{"--http", "nowhere"}, 2, "expected HOST:PORT"},
                                         {{"--http", taken}, 4, "address already in use"}}) {
    std::vector<std::string> arguments = {"--data", folder_ / "other", "--listen", "127.0.0.1:0"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    ServerProcess server(arguments);
    EXPECT_THAT(server.Errors(), HasSubstr(row.says));
    EXPECT_EQ(server.Wait(), row.exit) << row.says;
  }
}

TEST_F(ProgramOperationsTest, SigtermLetsAgentsReportAndASecondOneDoesNotWait) {
  for (const bool report : {true, false}) {
    ServerProcess server(Arguments({"--grace-s", "600"}));
    const Addresses addresses = AddressesOf(&server);
    TestAgent agent(addresses.grpc, "a");
    const auto run = agent.CreateRun({"relu"});
    ASSERT_TRUE(run.ok()) << run.status();
    const ReceivedLease lease = agent.Lease(run->run_id(), 2);
    ASSERT_EQ(lease.cases.size(), 2U);
    kill(server.pid(), SIGTERM);
    while (HttpGet(addresses.http, "/healthz").status != 503) std::this_thread::yield();
    if (report) {
      EXPECT_EQ(agent.Report(run->run_id(), lease.cases)->stored(), 2);
    } else {
      kill(server.pid(), SIGTERM);
    }
    EXPECT_EQ(server.Wait(), 0);
    EXPECT_EQ(server.Errors().find("event=leases_released leases=1 cases=2") != std::string::npos, !report)
        << server.Errors();
  }
}

}  // namespace
}  // namespace diopi::server
