// Several agents, or several devices of one agent, in the same run. Libraries that wait inside a call
// guarantee that the run is in progress.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

using Words = std::vector<std::string>;

std::string SummaryIn(const std::string& out) {
  const size_t begin = out.find("\nCoverage ");
  EXPECT_NE(begin, std::string::npos) << out;
  return out.substr(begin, out.find("\nErrors ") - begin);
}

class AgentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(mkfifo(gate_.c_str(), 0600), 0);
    const Finished gen = RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu"});
    ASSERT_EQ(gen.code, 0) << gen.err;
  }

  std::string data() const { return folder_ / "data"; }

  // With leases that a busy machine renews in time.
  void StartServer() {
    server_ = std::make_unique<Running>(
        Words{BinPath("diopi-server"), "--data", data(), "--listen", "unix:" + (folder_ / "socket"),
              "--log-level", "warn", "--ready-fd", "1", "--lease-s", "3"},
        Words{});
    address_ = server_->WaitForLine("ready ").substr(6);
  }
  // Returns its log.
  std::string StopServer() {
    server_->Signal(SIGTERM);
    const Finished stopped = server_->Finish();
    EXPECT_EQ(stopped.code, 0) << stopped.err;
    return stopped.err;
  }

  // Each agent has its own error report.
  Words Agent(const std::string& library, const Words& more) {
    Words command = {BinPath("diopi-agent"),
                     "--impl",
                     VendorPath(library),
                     "--error-report",
                     folder_ / absl::StrCat("errors", ++agents_),
                     "--timeout-s",
                     "600"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  // Starts the first agent of a run on the server, and leaves it inside a call; then two more that share it.
  void StartThree() {
    StartServer();
    first_ = std::make_unique<Running>(Agent("vendor_gate", {"--server", address_, "--fname", "relu"}),
                                       Words{"DIOPI_TEST_GATE=" + gate_});
    const std::string line = first_->WaitForLine("Run ");
    run_ = line.substr(4, line.find(':') - 4);
    held_ = open(gate_.c_str(), O_WRONLY | O_CLOEXEC);  // returns once the library waits at the gate
    for (auto* agent : {&second_, &third_}) {
      *agent =
          std::make_unique<Running>(Agent("vendor_gate", {"--server", address_, "--join", run_}), Words{});
      EXPECT_NE((*agent)->WaitForLine("Run " + run_), "");
    }
  }
  void OpenGate() {
    unlink(gate_.c_str());  // no later call waits there
    close(held_);
  }

  // Every case once; all calls of the function failed as they do without a gate.
  void ExpectComplete() const {
    const StoredRun run = ReadRun(data(), run_);
    EXPECT_EQ(run.info.state(), v1::RUN_STATE_FINISHED);
    EXPECT_GT(run.verdicts.size(), 5U);
    for (const v1::Verdict& verdict : run.verdicts) {
      if (verdict.function() != "diopiRelu") continue;
      EXPECT_EQ(verdict.outcome(), v1::OUTCOME_ERROR) << verdict.case_id();
    }
  }

  TestFolder folder_;
  const std::string gate_ = folder_ / "gate";
  std::unique_ptr<Running> server_;
  std::string address_;
  std::unique_ptr<Running> first_;
  std::unique_ptr<Running> second_;
  std::unique_ptr<Running> third_;
  std::string run_;
  int held_ = -1;
  int agents_ = 0;
};

TEST_F(AgentsTest, OneOfThreeKilled) {
  StartThree();
  first_->Signal(SIGKILL);
  EXPECT_EQ(first_->Finish().code, 128 + SIGKILL);
  OpenGate();
  for (Running* agent : {second_.get(), third_.get()}) {
    const Finished finished = agent->Finish();
    EXPECT_EQ(finished.code, 1) << finished.err;
  }
  const std::string log = StopServer();
  EXPECT_NE(log.find("lease_expired"), std::string::npos) << log;  // the killed agent did hold cases
  ExpectComplete();
}

TEST_F(AgentsTest, AVerdictThatComesAfterAnotherAgentsCountsOnce) {
  StartThree();
  first_->Signal(SIGSTOP);
  OpenGate();
  std::vector<Finished> finished;
  for (Running* agent : {second_.get(), third_.get()}) {
    finished.push_back(agent->Finish());
    EXPECT_EQ(finished.back().code, 1) << finished.back().err;
  }
  ExpectComplete();  // without the agent that is stuck
  first_->Signal(SIGCONT);
  const Finished late = first_->Finish();
  EXPECT_EQ(late.code, 1) << late.err;  // it reports its verdicts and learns that all is done
  finished.push_back(late);
  // Each of them tells of the whole run, whatever its own share was.
  const std::string errors = ReadFile(folder_ / "errors1");
  EXPECT_NE(errors.find("relu"), std::string::npos) << errors;
  for (size_t i = 0; i < finished.size(); ++i) {
    EXPECT_EQ(SummaryIn(finished[i].out), SummaryIn(finished[0].out));
    EXPECT_EQ(SummaryIn(finished[i].out).find("incomplete"), std::string::npos) << finished[i].out;
    EXPECT_EQ(ReadFile(folder_ / absl::StrCat("errors", i + 1)), errors);
  }
  StopServer();
  ExpectComplete();
}

TEST_F(AgentsTest, WhatCannotBeJoined) {
  StartServer();
  const Finished whole = RunProgram(Agent("vendor_gate", {"--server", address_, "--fname", "relu"}));
  ASSERT_EQ(whole.code, 1) << whole.err;
  struct Row {
    Words arguments;
    int code;
    std::string says;
  };
  const std::vector<Row> table = {
      {{"--server", address_, "--join", "latest"}, 4, "is finished: there is nothing to join"},
      {{"--server", address_, "--run", "20200101-000000-0000"}, 2, "no run '20200101-000000-0000'"},
      {{"--join", "latest"}, 2, "--join needs the --server"},
      {{"--server", address_, "--join", "latest", "--resume", "latest"}, 2, "--resume"},
      {{"--shard-index", "3"}, 2, "--shard-index needs --shard-count"},
      {{"--shard-index", "3", "--shard-count", "3"}, 2, "there is no shard 3 of 3"},
      {{"--devices", "0-"}, 2, "'0-' is not a device number"},
      {{"--devices", "0-1", "--workers", "2"}, 2, "--workers"},
  };
  for (const Row& row : table) {
    const Finished finished = RunProgram(Agent("vendor_gate", row.arguments));
    EXPECT_EQ(finished.code, row.code) << row.says << ": " << finished.err;
    EXPECT_NE((finished.err + finished.out).find(row.says), std::string::npos)
        << row.says << ": " << finished.err;
  }
  StopServer();
}

class DevicesTest : public AgentsTest {
 protected:
  // A run over the devices, ended once `working` of them are inside a call at the same time.
  Finished RunOn(const Words& devices, int working) {
    const std::string arrivals = folder_ / "arrivals";
    EXPECT_EQ(mkfifo(arrivals.c_str(), 0600), 0);
    const int here = open(arrivals.c_str(), O_RDWR | O_CLOEXEC);
    Words arguments = {"--data", data(), "--fname", "relu"};
    arguments.insert(arguments.end(), devices.begin(), devices.end());
    Running agent(Agent("vendor_cards", arguments),
                  {"DIOPI_TEST_DEAD_CARD=2", "DIOPI_TEST_GATE=" + gate_, "DIOPI_TEST_ARRIVALS=" + arrivals});
    char c = 0;
    for (int i = 0; i < working; ++i) EXPECT_EQ(read(here, &c, 1), 1);
    held_ = open(gate_.c_str(), O_WRONLY | O_CLOEXEC);
    OpenGate();
    Finished finished = agent.Finish();
    close(here);
    return finished;
  }
};

TEST_F(DevicesTest, EachWorkerSeesOnlyItsDevice) {
  const Finished finished = RunOn({"--devices", "0-2,5"}, 3);
  EXPECT_EQ(finished.code, 1) << finished.err;
  EXPECT_NE(finished.err.find("left out: device 2: "), std::string::npos) << finished.err;
  std::set<int> devices;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    if (verdict.function() != "diopiRelu") continue;
    ASSERT_TRUE(verdict.has_device_index()) << verdict.case_id();
    devices.insert(verdict.device_index());
    EXPECT_EQ(verdict.error_text(), absl::StrCat("device ", verdict.device_index(), " index 0"));
    EXPECT_GT(verdict.elapsed_us(), 0) << verdict.case_id();
  }
  EXPECT_EQ(devices, (std::set<int>{0, 1, 5}));
}

TEST_F(DevicesTest, WithoutVariablesTheRuntimeTellsTheDevice) {
  const Finished finished = RunOn({"--devices", "3,2", "--device-env", "none"}, 2);
  EXPECT_EQ(finished.code, 1) << finished.err;
  std::set<int> devices;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    if (verdict.function() != "diopiRelu") continue;
    devices.insert(verdict.device_index());
    EXPECT_EQ(verdict.error_text(), absl::StrCat("device  index ", verdict.device_index()));
  }
  EXPECT_EQ(devices, (std::set<int>{2, 3}));
}

TEST_F(DevicesTest, NoDeviceAtAll) {
  const Finished finished =
      RunProgram(Agent("vendor_cards", {"--data", data(), "--fname", "relu", "--devices", "2"}),
                 {"DIOPI_TEST_DEAD_CARD=2"});
  EXPECT_EQ(finished.code, 2) << finished.err;
  EXPECT_NE(finished.err.find("left out: device 2: "), std::string::npos) << finished.err;
}

}  // namespace
}  // namespace diopi::testing
