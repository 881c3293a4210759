// The wall clock of a server's machine is set, hours ahead and back, while agents hold leases: nothing
// expires, is handed out twice or judged twice. (Jumps of the clock that leases do live by:
// server/rpc/clock_test.)
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "client/rpc/client.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

class WallClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kAddressSanitizer) GTEST_SKIP() << "the sanitizer wants to be loaded before all others";
    offset_ = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    Set(0);
    server_ = std::make_unique<Running>(
        std::vector<std::string>{BinPath("diopi-server"), "--data", data(), "--listen",
                                 "unix:" + (folder_ / "socket"), "--log-level", "off", "--ready-fd", "1",
                                 "--lease-s", "600"},
        std::vector<std::string>{"LD_PRELOAD=" + VendorPath("wall_clock_shim"),
                                 "DIOPI_TEST_WALL_OFFSET=" + path_});
    auto client = rpc::Client::Connect(server_->WaitForLine("ready ").substr(6), {});
    ASSERT_TRUE(client.ok()) << client.status();
    client_ = *std::move(client);
  }
  void TearDown() override {
    if (server_ == nullptr) return;
    server_->Signal(SIGTERM);
    EXPECT_EQ(server_->Finish().code, 0);
    close(offset_);
  }

  std::string data() const { return folder_ / "data"; }

  // Sets the server's wall clock off by this many hours.
  void Set(int64_t hours) const {
    const int64_t seconds = hours * 3600;
    ASSERT_EQ(pwrite(offset_, &seconds, sizeof(seconds), 0), static_cast<ssize_t>(sizeof(seconds)));
  }

  v1::CreateRunResponse CreateRun() {
    v1::CreateRunRequest request;
    request.mutable_options()->set_chip("chip");
    request.mutable_options()->mutable_selection()->add_functions("relu");
    const auto run = client_->CreateRun(request);
    EXPECT_TRUE(run.ok()) << run.status();
    return run.ok() ? *run : v1::CreateRunResponse();
  }

  // Leases cases and makes a report on all of them.
  v1::ReportRequest Lease(const std::string& run, const std::string& agent, int max_cases) {
    v1::LeaseRequest lease;
    lease.set_run_id(run);
    lease.set_agent_id(agent);
    lease.set_max_cases(max_cases);
    v1::ReportRequest report;
    report.set_run_id(run);
    report.set_agent_id(agent);
    const auto header = client_->Lease(lease, [&](const rpc::LeasedCase& leased) {
      report.add_renew_leases(leased.lease_id);
      v1::Verdict& verdict = *report.add_verdicts();
      verdict.set_case_id(leased.c.id());
      verdict.set_case_hash(leased.c.hash());
      verdict.set_outcome(v1::OUTCOME_PASS);
      return absl::OkStatus();
    });
    EXPECT_TRUE(header.ok()) << header.status();
    return report;
  }

  TestFolder folder_;
  const std::string path_ = folder_ / "offset";
  int offset_ = -1;
  std::unique_ptr<Running> server_;
  std::unique_ptr<rpc::Client> client_;
};

TEST_F(WallClockTest, JumpsChangeNoLease) {
  const v1::CreateRunResponse run = CreateRun();
  std::vector<v1::ReportRequest> held;
  int cases = 0;
  // Each jump happens while all earlier leases are held; no agent gets a case that another holds.
  for (const int64_t hours : {0, 10, -10, 24 * 365, -24, 0}) {
    Set(hours);
    held.push_back(Lease(run.run_id(), "agent" + std::to_string(held.size()), 2));
    EXPECT_GT(held.back().verdicts_size(), 0) << hours;
    cases += held.back().verdicts_size();
  }
  for (;;) {
    held.push_back(Lease(run.run_id(), "last" + std::to_string(held.size()), 100));
    if (held.back().verdicts().empty()) break;
    cases += held.back().verdicts_size();
  }
  EXPECT_EQ(cases, run.cases());
  int hours = -50;
  for (const v1::ReportRequest& report : held) {
    Set(hours += 17);
    const auto answer = client_->Report(report);
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->stored(), report.verdicts_size());
    EXPECT_EQ(answer->duplicates(), 0);
  }
  ReadRun(data(), run.run_id());  // one verdict per case
}

// Without this, the test above would show nothing.
TEST_F(WallClockTest, TheServerSeesTheJumps) {
  Set(0);
  const auto now = client_->GetRun(CreateRun().run_id());
  Set(int64_t{24} * 366 * 3);
  ASSERT_TRUE(now.ok());
  // Abseil counts cycles between two looks at the clock, which are about two seconds apart.
  std::string then;
  do {
    const auto run = client_->GetRun(CreateRun().run_id());
    ASSERT_TRUE(run.ok()) << run.status();
    then = run->created();
  } while (then.substr(0, 4) == now->created().substr(0, 4));
}

}  // namespace
}  // namespace diopi::testing
