// kill -9 in the middle of the suite, with many cases leased, in flight and reported at once (resume_test
// stops inside a single case): --resume completes the run, with every case exactly once, and with the
// verdicts of an undisturbed run.
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>

#include "client/testing/core_baselines.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"

namespace diopi::testing {
namespace {

class KillTest : public CoreBaselinesTest {
 protected:
  static std::vector<std::string> Agent(const std::vector<std::string>& more) {
    std::vector<std::string> command = {BinPath("diopi-agent"),
                                        "--impl",
                                        LibPath("libdiopi_cpu.so"),
                                        "--error-report",
                                        *folder_ / "errors",
                                        "--suite",
                                        "smoke",
                                        "--fname",
                                        "a*,b*"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }

  // Starts a run with two workers and waits until it is past its first operators.
  std::unique_ptr<Running> StartToTheMiddle(const std::vector<std::string>& more,
                                            const std::vector<std::string>& environment = {}) {
    std::vector<std::string> command = Agent(more);
    command.insert(command.end(), {"--workers", "2"});
    auto agent = std::make_unique<Running>(command, environment);
    const std::string line = agent->WaitForLine("Run ");
    run_ = line.substr(4, line.find(':') - 4);
    EXPECT_NE(agent->WaitForLine(" succeed"), "");
    return agent;
  }

  // Every case has one verdict, and all pass except at most `crashes` that were in flight in a killed worker.
  void ExpectComplete(size_t crashes) const {
    size_t killed = 0;
    const StoredRun run = ReadRun(data(), run_);
    EXPECT_GE(run.verdicts.size(), 2000u);
    for (const v1::Verdict& verdict : run.verdicts) {
      if (verdict.outcome() == v1::OUTCOME_CRASH && verdict.signal() == "SIGKILL") {
        ++killed;
      } else {
        EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id() << ": " << verdict.reason();
      }
    }
    EXPECT_LE(killed, crashes);
  }
  std::string run_;
};

TEST_F(KillTest, TheAgentsOwnServer) {
  const auto agent = StartToTheMiddle({"--data", data()});
  const std::vector<pid_t> servers = ChildrenOf(agent->pid(), "diopi-server");
  ASSERT_EQ(servers.size(), 1u);
  kill(servers[0], SIGKILL);
  const Finished broken = agent->Finish();
  EXPECT_EQ(broken.code, 4) << broken.err;
  EXPECT_NE(broken.err.find("--resume " + run_), std::string::npos) << broken.err;
  const Finished resumed = RunProgram(Agent({"--data", data(), "--resume", run_}));
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  ExpectComplete(0);
}

TEST_F(KillTest, TheAgent) {
  const TestFolder temporary;
  const std::vector<std::string> environment = {"TMPDIR=" + temporary.path()};
  const auto agent = StartToTheMiddle({"--data", data()}, environment);
  agent->Signal(SIGKILL);
  EXPECT_EQ(agent->Finish().code, 128 + SIGKILL);
  EXPECT_FALSE(std::filesystem::is_empty(temporary.path()));
  const Finished resumed = RunProgram(Agent({"--data", data(), "--resume", run_}), environment);
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
  ExpectComplete(0);
}

TEST_F(KillTest, AWorker) {
  const auto agent = StartToTheMiddle({"--data", data()});
  const std::vector<pid_t> workers = ChildrenOf(agent->pid(), "diopi-worker");
  ASSERT_EQ(workers.size(), 2u);
  for (const pid_t worker : workers) kill(worker, SIGKILL);
  const Finished finished = agent->Finish();
  EXPECT_TRUE(finished.code == 0 || finished.code == 1) << finished.code << finished.err;
  ExpectComplete(2);
}

// Another agent on the same server takes over a dead agent's cases once their leases have expired.
TEST_F(KillTest, AnAgentOfTwo) {
  Running server({BinPath("diopi-server"), "--data", data(), "--listen", "unix:" + (*folder_ / "socket"),
                  "--log-level", "warn", "--ready-fd", "1", "--lease-s", "1"},
                 {});
  const std::string address = server.WaitForLine("ready ").substr(6);
  const auto agent = StartToTheMiddle({"--server", address});
  Running other(Agent({"--server", address, "--resume", run_, "--quiet"}), {});
  agent->Signal(SIGKILL);
  EXPECT_EQ(agent->Finish().code, 128 + SIGKILL);
  const Finished finished = other.Finish();
  EXPECT_EQ(finished.code, 0) << finished.out << finished.err;
  server.Signal(SIGTERM);
  EXPECT_EQ(server.Finish().code, 0);
  ExpectComplete(0);
}

// Every call crashes, and the second worker is killed before it has loaded the library: another one gets its
// case, and neither the case before, which is judged meanwhile, nor the run is lost.
TEST(KilledWorkerTest, InLoadingTheLibrary) {
  const TestFolder folder;
  const std::string program = folder / "worker";
  WriteFile(program, "#!/bin/bash\nset -o noclobber\n{ : >" + (folder / "first") +
                         "; } 2>/dev/null || { : >" + (folder / "second") + "; } 2>/dev/null && [ -e " +
                         (folder / "second") + " ] && kill -9 $$\nexec " + BinPath("diopi-worker") +
                         " \"$@\"\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Finished run = RunProgram({BinPath("diopi-agent"), "--impl", VendorPath("vendor_segfault"), "--data",
                                   folder / "data", "--case", "add.float32.n*", "--worker-program", program,
                                   "--error-report", folder / "errors.csv"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "second"));
  for (const v1::Verdict& verdict : ReadRun(folder / "data").verdicts)
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_CRASH) << verdict.case_id() << ": " << verdict.reason();
}

}  // namespace
}  // namespace diopi::testing
