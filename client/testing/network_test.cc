// The network between agent and server is cut, half open or slow, also inside frames; and two hundred agents
// connect at once. Nothing is lost, nothing counts twice.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "client/rpc/client.h"
#include "client/testing/programs.h"
#include "client/testing/proxy.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

class NetworkTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    const Finished gen = RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu", "tanh",
                                     "--suite", "smoke", "--quiet"});
    ASSERT_EQ(gen.code, 0) << gen.err;
    server_ = new Running({BinPath("diopi-server"), "--data", data(), "--listen", "127.0.0.1:0",
                           "--log-level", "off", "--ready-fd", "1", "--lease-s", "2"},
                          {});
    address_ = server_->WaitForLine("ready ").substr(6);
  }
  static void TearDownTestSuite() {
    server_->Signal(SIGTERM);
    EXPECT_EQ(server_->Finish().code, 0) << "the server did not survive";
    delete server_;
    delete folder_;
  }

  static std::string data() { return *folder_ / "data"; }

  // A whole run through the proxy passes, every case once.
  static void ExpectWholeRun(const Proxy& proxy) {
    const Finished run = RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--server",
                                     proxy.address(), "--fname", "relu", "tanh", "--suite", "smoke",
                                     "--error-report", *folder_ / "errors.csv"});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    const StoredRun stored = ReadRun(data());
    EXPECT_EQ(stored.info.state(), v1::RUN_STATE_FINISHED);
    EXPECT_GT(stored.verdicts.size(), 20u);
    for (const v1::Verdict& verdict : stored.verdicts) {
      EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
    }
  }

  inline static TestFolder* folder_ = nullptr;
  inline static Running* server_ = nullptr;
  inline static std::string address_;
};

// Bytes from the server: none; inside the first frame's header (9 bytes) and its payload; in answers to unary
// calls; in the middle of cases of a lease.
constexpr int64_t kPlaces[] = {0, 1, 9, 20, 60, 200, 700, 2'000, 7'000, 20'000, 50'000};

TEST_F(NetworkTest, CutInTheMiddle) {
  for (const int64_t place : kPlaces) {
    for (const int times : {1, 3}) {
      SCOPED_TRACE(std::to_string(place) + " bytes, " + std::to_string(times) + " times");
      const Proxy proxy(address_, {Fault::Kind::kCut, place, 0}, times);
      ExpectWholeRun(proxy);
      EXPECT_GE(proxy.faults(), 1) << "the run needed fewer bytes";
      EXPECT_GT(proxy.connections(), proxy.faults());
    }
  }
}

TEST_F(NetworkTest, Slow) {
  const Proxy proxy(address_, {Fault::Kind::kDelay, 0, 20}, 1);
  ExpectWholeRun(proxy);
  EXPECT_GT(proxy.faults(), 5);
}

// Nothing signals that the connection is dead; the agent must find out.
TEST_F(NetworkTest, HalfOpen) {
  for (const int64_t place : {200, 7'000}) {
    SCOPED_TRACE(place);
    const Proxy proxy(address_, {Fault::Kind::kStall, place, 0}, 1);
    ExpectWholeRun(proxy);
    EXPECT_EQ(proxy.faults(), 1);
  }
}

class Crowd : public NetworkTest {
 protected:
  // Leases and reports until the run is complete.
  static void DoAll(rpc::Client* client, const std::string& run, const std::string& id,
                    std::atomic<int>* stored, std::atomic<int>* duplicates) {
    for (;;) {
      v1::LeaseRequest lease;
      lease.set_run_id(run);
      lease.set_agent_id(id);
      lease.set_max_cases(1);
      v1::ReportRequest report;
      report.set_run_id(run);
      report.set_agent_id(id);
      const auto header = client->Lease(lease, [&](const rpc::LeasedCase& leased) {
        report.add_renew_leases(leased.lease_id);
        v1::Verdict& verdict = *report.add_verdicts();
        verdict.set_case_id(leased.c.id());
        verdict.set_case_hash(leased.c.hash());
        verdict.set_outcome(v1::OUTCOME_PASS);
        return absl::OkStatus();
      });
      ASSERT_TRUE(header.ok()) << header.status();
      if (header->run_complete()) return;
      if (report.verdicts().empty()) continue;
      const auto answer = client->Report(report);
      ASSERT_TRUE(answer.ok()) << answer.status();
      *stored += answer->stored();
      *duplicates += answer->duplicates();
    }
  }
};

TEST_F(Crowd, TwoHundredAgentsConnectAtOnce) {
  constexpr int kAgents = 200;
  const auto first = rpc::Client::Connect(address_, {});
  ASSERT_TRUE(first.ok()) << first.status();
  v1::CreateRunRequest request;
  request.mutable_options()->set_chip("crowd");
  request.mutable_options()->mutable_selection()->add_functions("relu");
  request.mutable_options()->mutable_selection()->add_functions("tanh");
  const auto run = (*first)->CreateRun(request);
  ASSERT_TRUE(run.ok()) << run.status();
  std::atomic<int> stored = 0;
  std::atomic<int> duplicates = 0;
  std::atomic<int> connected = 0;
  std::barrier everybody(kAgents);
  std::vector<std::thread> agents;
  agents.reserve(kAgents);
  for (int i = 0; i < kAgents; ++i) {
    agents.emplace_back([&, i] {
      everybody.arrive_and_wait();
      const auto client = rpc::Client::Connect(address_, {});
      connected += client.ok() ? 1 : 0;
      // No case is leased before all agents are connected.
      everybody.arrive_and_wait();
      ASSERT_TRUE(client.ok()) << client.status();
      DoAll(client->get(), run->run_id(), "agent" + std::to_string(i), &stored, &duplicates);
    });
  }
  for (std::thread& agent : agents) agent.join();
  EXPECT_EQ(connected, kAgents);
  EXPECT_EQ(stored, run->cases());
  ReadRun(data(), run->run_id());  // one verdict per case
  // A slow agent's lease may have expired: its verdict then comes second, and does not count.
  RecordProperty("duplicates", duplicates);
}

}  // namespace
}  // namespace diopi::testing
