// kill -9 of each process at every stage of a run. The stages are places in our programs
// (cases/base/stage.h), so that "report stored, answer not sent" is exactly that. Whatever was killed,
// --resume completes the run: one verdict per case, and the verdicts of an undisturbed run.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/testing/programs.h"
#include "client/testing/results.h"
#include "client/testing/stage.h"

namespace diopi::testing {
namespace {

struct StageRow {
  const char* name;
  const char* program;  // that reaches the stage
  bool has_worker;      // there is a worker to kill
};

// In the order of a run.
const StageRow kStages[] = {
    {"run_created", "server", true},      // stored; the agent does not know it yet
    {"run_known", "agent", true},         // nothing leased
    {"lease_sent", "server", true},       // the lease is made, no case is on its way
    {"case_received", "agent", true},     // the agent holds a case
    {"in_call", "worker", true},          // before the library's function is entered
    {"verdict_computed", "agent", true},  // not handed to the reporter
    {"report_received", "server", true},  // nothing stored
    {"report_stored", "server", true},    // not acknowledged
    {"reported", "agent", true},          // acknowledged
    {"finish", "agent", false},           // every case has a verdict, the run is not finished
    {"run_finished", "server", false},    // finished, not acknowledged
};

// "unwritten: ..." by case
using Verdicts = std::map<std::string, std::string>;

class StagesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TestFolder;
    const Finished gen =
        RunProgram({BinPath("diopi-cli"), "gen", "--data", data(), "--fname", "relu", "--quiet"});
    ASSERT_EQ(gen.code, 0) << gen.err;
    const Finished run = RunProgram(Agent({}));
    ASSERT_EQ(run.code, 1) << run.out << run.err;
    undisturbed_ = new Verdicts(Read("latest", false));
    ASSERT_GT(undisturbed_->size(), 5u);
  }
  static void TearDownTestSuite() {
    delete folder_;
    delete undisturbed_;
  }

  static std::string data() { return *folder_ / "data"; }

  // In this library relu returns without writing, and relu_inp is correct: both kinds of verdict.
  static std::vector<std::string> Agent(const std::vector<std::string>& more) {
    std::vector<std::string> command = {BinPath("diopi-agent"),
                                        "--impl",
                                        VendorPath("libdiopi_faulty"),
                                        "--fname",
                                        "relu",
                                        "--timeout-s",
                                        "600",
                                        "--error-report",
                                        *folder_ / "errors.csv"};
    command.insert(command.end(), more.begin(), more.end());
    if (std::find(more.begin(), more.end(), "--server") == more.end()) {
      command.insert(command.end(), {"--data", data()});
    }
    return command;
  }

  // `killed`: without the one case that was in a worker when it was killed.
  static Verdicts Read(const std::string& run, bool killed) {
    Verdicts verdicts;
    int in_flight = 0;
    for (const v1::Verdict& verdict : ReadRun(data(), run).verdicts) {
      if (killed && verdict.outcome() == v1::OUTCOME_CRASH && verdict.signal() == "SIGKILL") {
        EXPECT_EQ(++in_flight, 1) << "more than one case fell to one kill";
        verdicts[verdict.case_id()] = undisturbed_->at(verdict.case_id());
      } else {
        verdicts[verdict.case_id()] = v1::Outcome_Name(verdict.outcome()) + ": " + verdict.reason();
      }
    }
    return verdicts;
  }

  static pid_t Find(const Running& agent, const std::string& victim) {
    if (victim == "agent") return agent.pid();
    const std::vector<pid_t> children = ChildrenOf(agent.pid(), "diopi-" + victim);
    EXPECT_EQ(children.size(), 1u) << victim;
    return children.empty() ? 0 : children[0];
  }

  static void KillAt(const StageRow& row, const std::string& victim) {
    SCOPED_TRACE(std::string(row.name) + ", kill the " + victim);
    Stage stage(row.name);
    Running agent(Agent({}), {stage.Variable()});
    const pid_t there = stage.Await();
    ASSERT_NE(there, 0);
    // A worker knows itself by the number that it has in its own PID namespace.
    if (std::string(row.program) != "worker") {
      ASSERT_EQ(there, Find(agent, row.program));
    }
    const pid_t pid = Find(agent, victim);
    ASSERT_NE(pid, 0);
    KillAndAwait(pid);
    stage.Release();
    const Finished broken = agent.Finish();
    if (victim == "worker") {
      EXPECT_EQ(broken.code, 1) << broken.err;
    } else {
      EXPECT_EQ(broken.code, victim == "agent" ? 128 + SIGKILL : 4) << broken.err;
      const Finished resumed = RunProgram(Agent({"--resume", "latest"}));
      EXPECT_EQ(resumed.code, 1) << resumed.err;
    }
    EXPECT_EQ(Read("latest", victim == "worker"), *undisturbed_);
    EXPECT_EQ(ReadRun(data()).info.state(), v1::RUN_STATE_FINISHED);
  }

  inline static TestFolder* folder_ = nullptr;
  inline static Verdicts* undisturbed_ = nullptr;
};

TEST_F(StagesTest, KillTheServer) {
  for (const StageRow& row : kStages) KillAt(row, "server");
}

TEST_F(StagesTest, KillTheAgent) {
  for (const StageRow& row : kStages) KillAt(row, "agent");
}

TEST_F(StagesTest, KillAWorker) {
  for (const StageRow& row : kStages) {
    if (row.has_worker) KillAt(row, "worker");
  }
}

// A separate server, killed at each of its stages and restarted: the agent continues by itself.
TEST_F(StagesTest, ARemoteServerIsKilledAndComesBack) {
  const std::string address = "unix:" + (*folder_ / "socket");
  const std::vector<std::string> server = {
      BinPath("diopi-server"), "--data", data(),       "--listen", address,
      "--log-level",           "off",    "--ready-fd", "1"};
  for (const StageRow& row : kStages) {
    if (std::string(row.program) != "server") continue;
    SCOPED_TRACE(row.name);
    Stage stage(row.name);
    Running first(server, {stage.Variable()});
    ASSERT_NE(first.WaitForLine("ready "), "");
    Running agent(Agent({"--server", address}), {});
    ASSERT_EQ(stage.Await(), first.pid());
    KillAndAwait(first.pid());
    Running second(server, {});
    ASSERT_NE(second.WaitForLine("ready "), "");
    const Finished finished = agent.Finish();
    EXPECT_EQ(finished.code, 1) << finished.err;
    second.Signal(SIGTERM);
    EXPECT_EQ(second.Finish().code, 0);
    EXPECT_EQ(Read("latest", false), *undisturbed_);
  }
}

}  // namespace
}  // namespace diopi::testing
