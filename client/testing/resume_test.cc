// kill -9 of the server, the agent or a worker in the middle of a run: --resume completes it, every case
// exactly once. A library that waits inside a call (vendor_gate) guarantees that the run is in the middle.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "client/testing/programs.h"

namespace diopi::testing {
namespace {

class ResumeTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(mkfifo(gate_.c_str(), 0600), 0);
    const Finished gen = RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu"});
    ASSERT_EQ(gen.code, 0) << gen.err;
    cases_ = std::stoul(RunProgram({BinPath("diopi-cli"), "list", "--count", "--fname", "relu"}).out);
    ASSERT_GT(cases_, 5u);
  }

  std::string data() const { return folder_ / "data"; }

  std::vector<std::string> Agent(std::vector<std::string> more) const {
    std::vector<std::string> command = {BinPath("diopi-agent"),
                                        "--impl",
                                        VendorPath("vendor_gate"),
                                        "--data",
                                        data(),
                                        "--error-report",
                                        folder_ / "errors.csv",
                                        "--verbose",
                                        "--timeout-s",
                                        "600"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  // Opens the gate for the library; returns once the library waits there.
  int OpenGate() const { return open(gate_.c_str(), O_WRONLY | O_CLOEXEC); }

  // Starts a run and brings it to its middle: a case is stored, another is inside the library. Leaves the
  // open gate in `gate` and the run's id in run_.
  std::unique_ptr<Running> StartToTheMiddle(const std::vector<std::string>& more, int* gate) {
    auto agent = std::make_unique<Running>(Agent(more), std::vector<std::string>{"DIOPI_TEST_GATE=" + gate_});
    const std::string line = agent->WaitForLine("Run ");
    run_ = line.substr(4, line.find(':') - 4);
    close(OpenGate());
    // The library has certainly left the gate only once the first case is over.
    EXPECT_NE(agent->WaitForLine(": error: "), "");
    *gate = OpenGate();
    return agent;
  }

  // Every case has exactly one verdict.
  void ExpectComplete(const char* outcome_of_relu) const {
    std::set<std::string> seen;
    for (const auto& row : ReportRows(data(), run_)) {
      EXPECT_TRUE(seen.insert(row.at("case")).second) << row.at("case") << " twice";
      const bool relu = row.at("function") == "diopiRelu";
      if (row.at("case") != exempt_) {
        EXPECT_EQ(row.at("outcome"), relu ? outcome_of_relu : "not_implemented") << row.at("case");
      }
    }
    EXPECT_EQ(seen.size(), cases_);
  }

  TestFolder folder_;
  const std::string gate_ = folder_ / "gate";
  std::string run_;
  std::string exempt_;
  size_t cases_ = 0;
};

TEST_F(ResumeTest, ServerKilled) {
  int gate = -1;
  const auto agent = StartToTheMiddle({"--fname", "relu"}, &gate);
  const std::vector<pid_t> servers = ChildrenOf(agent->pid(), "diopi-server");
  ASSERT_EQ(servers.size(), 1u);
  kill(servers[0], SIGKILL);
  close(gate);
  const Finished broken = agent->Finish();
  EXPECT_EQ(broken.code, 4);
  EXPECT_NE(broken.err.find("cannot reach the server"), std::string::npos) << broken.err;
  EXPECT_NE(broken.err.find("--resume " + run_), std::string::npos) << broken.err;
  const Finished resumed = RunProgram(Agent({"--resume", run_}));
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  ExpectComplete("error");
}

// A hanging case's verdict cannot be reported when the server is gone: the agent does not wait for the case's
// time limit, which is far beyond this test's own.
TEST_F(ResumeTest, ServerKilledWhileTheLibraryHangs) {
  int gate = -1;
  const auto agent = StartToTheMiddle({"--fname", "relu"}, &gate);
  const std::vector<pid_t> servers = ChildrenOf(agent->pid(), "diopi-server");
  const std::vector<pid_t> workers = ChildrenOf(agent->pid(), "diopi-worker");
  ASSERT_EQ(servers.size(), 1u);
  ASSERT_EQ(workers.size(), 1u);
  kill(servers[0], SIGKILL);
  const Finished broken = agent->Finish();
  EXPECT_EQ(broken.code, 4);
  EXPECT_NE(broken.err.find("cannot reach the server"), std::string::npos) << broken.err;
  EXPECT_FALSE(IsAlive(workers[0])) << "the worker outlived its agent";
  close(gate);
}

TEST_F(ResumeTest, AgentKilled) {
  int gate = -1;
  const auto agent = StartToTheMiddle({"--fname", "relu"}, &gate);
  const std::vector<pid_t> workers = ChildrenOf(agent->pid(), "diopi-worker");
  ASSERT_EQ(workers.size(), 1u);
  agent->Signal(SIGKILL);
  EXPECT_EQ(agent->Finish().code, 128 + SIGKILL);
  close(gate);
  const Finished resumed = RunProgram(Agent({"--resume", run_}));
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  EXPECT_FALSE(IsAlive(workers[0])) << "the worker outlived its agent";
  ExpectComplete("error");
}

TEST_F(ResumeTest, WorkerKilled) {
  int gate = -1;
  const auto agent = StartToTheMiddle({"--fname", "relu"}, &gate);
  const std::vector<pid_t> workers = ChildrenOf(agent->pid(), "diopi-worker");
  ASSERT_EQ(workers.size(), 1u);
  // Stops the agent here. The next worker finds no gate, opens nothing and continues.
  unlink(gate_.c_str());
  kill(workers[0], SIGKILL);
  close(gate);
  const Finished finished = agent->Finish();
  EXPECT_EQ(finished.code, 1) << finished.err;
  for (const auto& row : ReportRows(data(), run_)) {
    if (row.at("outcome") != "crash") continue;
    EXPECT_EQ(exempt_, "") << "more than the one case that was running crashed";
    EXPECT_EQ(row.at("signal"), "SIGKILL");
    exempt_ = row.at("case");
  }
  ExpectComplete("error");
}

TEST_F(ResumeTest, Interrupted) {
  int gate = -1;
  const auto agent = StartToTheMiddle({"--fname", "relu"}, &gate);
  agent->Signal(SIGINT);
  close(gate);
  // A case that started before the signal may still be at the gate.
  unlink(gate_.c_str());
  const Finished stopped = agent->Finish();
  EXPECT_EQ(stopped.code, 130);
  EXPECT_NE(stopped.err.find("--resume " + run_), std::string::npos) << stopped.err;
  EXPECT_NE(stopped.out.find("Coverage"), std::string::npos) << stopped.out;
  const Finished runs = RunProgram({BinPath("diopi-cli"), "runs", "--data", data()});
  EXPECT_NE(runs.out.find("aborted"), std::string::npos) << runs.out;
  const Finished resumed = RunProgram(Agent({"--resume", run_}));
  EXPECT_EQ(resumed.code, 1) << resumed.err;
  ExpectComplete("error");
}

TEST_F(ResumeTest, ARemoteServerRestarts) {
  // The agent waits for a server that somebody else restarts.
  std::string address;
  const auto start = [&](const std::string& listen) {
    auto server = std::make_unique<Running>(
        std::vector<std::string>{BinPath("diopi-server"), "--data", data(), "--listen", listen, "--log-level",
                                 "warn", "--ready-fd", "1"},
        std::vector<std::string>{});
    address = server->WaitForLine("ready ").substr(6);
    return server;
  };
  auto server = start("unix:" + (folder_ / "socket"));
  int gate = -1;
  const auto agent = StartToTheMiddle({"--fname", "relu", "--server", address}, &gate);
  server->Signal(SIGKILL);
  EXPECT_EQ(server->Finish().code, 128 + SIGKILL);
  server = start(address);
  unlink(gate_.c_str());
  close(gate);
  const Finished finished = agent->Finish();
  EXPECT_EQ(finished.code, 1) << finished.err;
  ExpectComplete("error");
}

}  // namespace
}  // namespace diopi::testing
