// Standing agents and submitted runs: the real programs on a loopback port, killed and restarted. Every wait
// is for a line, a message from the server or the end of a program.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "cases/base/sha256.h"
#include "client/rpc/agents_client.h"
#include "client/testing/programs.h"
#include "client/testing/results.h"
#include "client/testing/serve_testing.h"
#include "server/store/full_disk_testing.h"

namespace diopi::testing {
namespace {

TEST_F(ServeTest, AGoodLibraryAndAFaultyOne) {
  std::string name;
  const auto good = Agent(LibPath("libdiopi_cpu.so"), &name);
  EXPECT_NE(Agents().find("online"), std::string::npos);
  const Finished run = Submit({"--fname", "add,relu", "--wait"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_NE(run.out.find("finished"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(name), std::string::npos) << run.out;
  for (const v1::Verdict& verdict : ReadRun(data()).verdicts) {
    EXPECT_EQ(verdict.outcome(), v1::OUTCOME_PASS) << verdict.case_id();
  }
  good->Signal(SIGTERM);
  EXPECT_EQ(good->Finish().code, 0);
  EXPECT_EQ(Agents(), "");  // it has left

  // Its add returns an error: the device works, and finding the error is a run's task.
  const auto faulty = Agent(VendorPath("vendor_error"), &name);
  EXPECT_NE(Agents().find("online"), std::string::npos) << Agents();
  EXPECT_NE(Agents().find(" returns (error: "), std::string::npos) << Agents();
  const Finished failed = Submit({"--fname", "add", "--wait"});
  EXPECT_EQ(failed.code, 1) << failed.out << failed.err;
}

TEST_F(ServeTest, AFailedRunIsExitStatusOne) {
  std::string name;
  const auto agent = Agent(VendorPath("vendor_gate"), &name);  // every relu is an error; it has no add
  const Finished run = Submit({"--fname", "relu", "--wait"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
}

TEST_F(ServeTest, AnUploadedLibraryRunsAndIsGoneAfterwards) {
  std::string name;
  const std::string scratch = *folder_ / "scratch";
  std::filesystem::create_directories(scratch);
  const auto agent = Agent(LibPath("libdiopi_cpu.so"), &name, {"--impl-upload"}, {"TMPDIR=" + scratch});
  const Finished run = Submit({"--fname", "relu", "--impl", VendorPath("vendor_gate"), "--wait"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  const StoredRun stored = ReadRun(data());
  EXPECT_EQ(stored.info.options().impl_sha256(), *Sha256OfFile(VendorPath("vendor_gate")));
  EXPECT_EQ(stored.info.options().vendor_name(), "gate");
  EXPECT_EQ(stored.info.options().impl_path(), "vendor_gate.so");
  EXPECT_TRUE(std::filesystem::is_empty(data() + "/uploads"));
  ASSERT_NE(agent->WaitForLine("ended with exit status 1"), "");
  agent->Signal(SIGTERM);
  EXPECT_EQ(agent->Finish().code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(scratch));
}

TEST_F(ServeTest, WhatIsRefusedIsRefusedWithItsReason) {
  std::string name;
  const auto agent = Agent(LibPath("libdiopi_cpu.so"), &name);
  const std::string other(64, 'a');
  const std::string hash = *Sha256OfFile(LibPath("libdiopi_cpu.so"));
  struct Row {
    std::vector<std::string> arguments;
    int code;
    std::string text;
  };
  const Row rows[] = {
      {{"--fname", "add", "--impl", VendorPath("vendor_gate"), "--wait"},
       2,
       "without --impl-upload: " + name},
      {{"--fname", "add", "--require-sha256", other, "--wait"}, 2, name + " has " + hash},
      {{"--fname", "add", "--require-sha256", "abc"}, 2, "64 hex digits"},
      {{"--fname", "add", "--impl", VendorPath("vendor_gate"), "--require-sha256", hash}, 2, "is required"},
      {{"--fname", "no_such_operator"}, 2, "no_such_operator"},
      {{"--fname", "sub"}, 4, "no baselines of sub"},
      {{"--fname", "add", "--require-sha256", hash, "--wait"}, 0, ""},
  };
  for (const Row& row : rows) {
    const Finished run = Submit(row.arguments);
    EXPECT_EQ(run.code, row.code) << run.out << run.err;
    EXPECT_NE(run.err.find(row.text), std::string::npos) << row.text << " not in " << run.err;
  }
  const Finished bare = RunProgram({BinPath("diopi-agent"), "--serve", "--server", address_, "--chip", "c",
                                    "--impl", LibPath("libdiopi_cpu.so"), "--fname", "add"});
  EXPECT_EQ(bare.code, 2) << bare.err;
}

// The library crashes on the health check's case: the agent is listed with the reason and gets no runs, and
// those who wait for a run learn why.
TEST_F(ServeTest, ALibraryThatCrashesIsUnhealthy) {
  std::string name;
  const auto agent = Agent(VendorPath("vendor_segfault"), &name);
  const std::string list = Agents();
  EXPECT_NE(list.find("failing its health check: add.float32"), std::string::npos) << list;
  EXPECT_NE(list.find("SIGSEGV"), std::string::npos) << list;
  const std::string why = "every agent that could run it fails its health check: " + name + ": add.float32";
  const Finished run = Submit({"--fname", "add"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_NE(run.err.find(why), std::string::npos) << run.err;
  EXPECT_NE(Runs().find("queued"), std::string::npos);
  const Finished waited = Submit({"--fname", "add", "--wait"});  // it used to wait forever
  EXPECT_EQ(waited.code, 4) << waited.out << waited.err;
  EXPECT_NE(waited.err.find(why), std::string::npos) << waited.err;
  EXPECT_NE(waited.err.find("--cancel " + RunIn(waited.out)), std::string::npos) << waited.err;
}

TEST_F(ServeTest, AnUploadThatIsNotAnElfFileIsRefused) {
  std::string name;
  const auto agent = Agent(LibPath("libdiopi_cpu.so"), &name, {"--impl-upload"});
  const std::string path = *folder_ / "script.sh";
  WriteFile(path, "#!/bin/sh\n");
  auto client = rpc::AgentsClient::Make(address_, {}, {});
  ASSERT_TRUE(client.ok()) << client.status();
  v1::SubmitRequest request;
  request.mutable_options()->set_chip("c");
  request.mutable_options()->mutable_selection()->add_functions("add");
  request.set_upload_name("libdiopi_impl.so");
  request.set_upload_bytes(static_cast<int64_t>(std::filesystem::file_size(path)));
  request.set_upload_sha256(*Sha256OfFile(path));
  const absl::Status refused = (*client)->Submit(request, path).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_NE(refused.message().find("not an ELF file"), std::string::npos) << refused;
  EXPECT_TRUE(std::filesystem::is_empty(data() + "/uploads"));
}

// The check is made with the agent's adaptor, variables, skips and waivers.
TEST_F(ServeTest, TheHealthCheckIsMadeWithTheAgentsProfile) {
  const std::string profile = *folder_ / "chip.textproto";
  struct Row {
    const char* library;
    std::string profile;
    std::string health;
  };
  const Row rows[] = {
      {"vendor_float64_only", "", " returns (unsupported_dtype: "},
      {"vendor_float64_only", "contract: \"tf32\" adaptor { dtype: \"(float32)->float64\" }",
       " passes through the adaptor"},
      {"vendor_imprecise", "environment { name: \"DIOPI_TEST_ERROR\" value: \"0.5\" }", " returns (fail: "},
      {"vendor_imprecise", R"(environment { name: "DIOPI_TEST_ERROR" value: "1e-4" }
        waiver { match { function: "diopiAdd" } tolerance { atol: 1e-2 rtol: 1e-2 }
                 reason: "fast sums" issue: "https://example.com/4" expires: "2099-12-31" })",
       "waived by chip.textproto"},
      {"vendor_segfault", "", "failing its health check: add.float32"},
      {"vendor_error", "skip { match { operator: \"add\" } reason: \"no adder\" }", "no adder"},
  };
  for (const Row& row : rows) {
    WriteFile(profile, row.profile);
    const std::vector<std::string> more =
        row.profile.empty() ? std::vector<std::string>{} : std::vector<std::string>{"--profile", profile};
    std::string name;
    const auto agent = Agent(VendorPath(row.library), &name, more);
    const bool failing = row.health.find("failing") == 0;
    EXPECT_EQ(Agents().find("online") == std::string::npos, failing) << row.profile << "\n" << Agents();
    agent->Signal(SIGTERM);
    const Finished ended = agent->Finish();
    EXPECT_EQ(ended.code, 0);
    EXPECT_NE(ended.out.find(row.health), std::string::npos) << row.profile << "\n" << ended.out;
  }
}

// A submitted run has the profile's contracts in its record, and its reports repeat a case with the profile.
TEST_F(ServeTest, ASubmittedRunRecordsTheAgentsProfile) {
  const std::string profile = *folder_ / "chip.textproto";
  WriteFile(profile, R"(contract: "tf32" environment { name: "DIOPI_TEST_ERROR" value: "0.5" }
    skip { match { case: "add.float32.n*" } reason: "the known-good case may pass" })");
  std::string name;
  const auto agent = Agent(VendorPath("vendor_imprecise"), &name, {"--profile", profile, "--four-bytes"});
  ASSERT_NE(Agents().find("online"), std::string::npos) << Agents();
  EXPECT_EQ(Submit({"--fname", "add", "--dtype", "float32", "--wait"}).code, 1);
  const v1::RunOptions options = ReadRun(data()).info.options();
  EXPECT_EQ(options.contracts_size(), 1);
  EXPECT_EQ(options.command().profile_path(), std::filesystem::path(profile).lexically_normal());
  EXPECT_TRUE(options.command().four_bytes());
  EXPECT_EQ(options.profile().environment(0).value(), "0.5");
}

TEST_F(ServeTest, AnAgentsOwnServerLeavesTheStandingOnesUploadsAlone) {
  const std::string incoming = data() + "/uploads/incoming-now";
  WriteFile(incoming, "so far");
  const Finished run = RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--data",
                                   data(), "--fname", "relu", "--error-report", *folder_ / "errors.csv"});
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::remove(incoming));
}

// The agent was killed before the job could ask the kernel to end with it; an orphan's new parent is not
// always process 1.
TEST_F(ServeTest, AJobWhoseAgentIsGoneDoesNotBegin) {
  const Finished job = RunProgram({BinPath("diopi-agent"), "--impl", LibPath("libdiopi_cpu.so"), "--server",
                                   address_, "--health-check", "--parent", std::to_string(getppid())});
  EXPECT_NE(job.code, 0);
  EXPECT_EQ(job.out, "");
}

// A library that stops in its first call until the test lets it go on (vendor_gate): the middle of a run.
class ServeGateTest : public ServeTest {
 protected:
  void SetUp() override {
    ServeTest::SetUp();
    gate_ = *folder_ / "gate";
    std::filesystem::remove(gate_);
    ASSERT_EQ(mkfifo(gate_.c_str(), 0600), 0);
  }
  // Opening waits until a call is at the gate; closing lets the call through.
  int StandAtGate() const {
    const int fd = open(gate_.c_str(), O_WRONLY | O_CLOEXEC);
    EXPECT_GE(fd, 0) << gate_ << ": " << strerror(errno);
    return fd;
  }
  void LetThrough(int fd) const {
    // Later calls find no FIFO.
    EXPECT_TRUE(std::filesystem::remove(gate_));
    EXPECT_EQ(close(fd), 0) << strerror(errno);
  }
  std::string gate_;
};

TEST_F(ServeGateTest, AnAgentKilledInTheMiddleIsLostAndTheRunGoesOn) {
  std::string first_name;
  std::string second_name;
  const auto first = Agent(VendorPath("vendor_gate"), &first_name, {}, {"DIOPI_TEST_GATE=" + gate_});
  Running submit(SubmitCommand({"--fname", "relu", "--wait"}), {});
  const std::string run = RunIn(submit.WaitForLine("submitted"));
  const int fd = StandAtGate();
  const std::string busy = Agents();
  EXPECT_NE(busy.find("busy: run " + run), std::string::npos) << busy;
  const auto second = Agent(VendorPath("vendor_gate"), &second_name);
  first->Signal(SIGKILL);
  EXPECT_EQ(first->Finish().code, 128 + SIGKILL);
  LetThrough(fd);
  const std::string list = AgentsUntil("lost since 2");
  EXPECT_NE(list.find(first_name), std::string::npos) << list;
  const Finished finished = submit.Finish();
  EXPECT_EQ(finished.code, 1) << finished.out << finished.err;  // every case is an error
  EXPECT_EQ(ReadRun(data(), run).info.state(), v1::RUN_STATE_FINISHED);
}

// A run whose agent was killed does not stay "running" forever; an agent that works on one long case keeps it
// running.
TEST_F(ServeGateTest, ARunWithoutASignOfItsAgentIsStalledUntilItIsResumed) {
  const std::vector<std::string> command = {
      BinPath("diopi-agent"),    "--server", address_, "--chip",      "c",   "--impl",
      VendorPath("vendor_gate"), "--fname",  "relu",   "--timeout-s", "600", "--error-report",
      *folder_ / "errors.csv"};
  Running agent(command, {"DIOPI_TEST_GATE=" + gate_});
  const std::string run = RunIn(agent.WaitForLine("Run "));
  const int fd = StandAtGate();
  EXPECT_NE(Runs().find("running"), std::string::npos) << Runs();
  agent.Signal(SIGKILL);
  agent.Finish();
  std::string runs = Runs();  // only the server knows when; the test's time limit ends the loop
  while (runs.find("stalled") == std::string::npos) runs = Runs();
  EXPECT_EQ(runs.find("running"), std::string::npos) << runs;
  const Finished report =
      RunProgram({BinPath("diopi-cli"), "report", "--data", data(), "--run", run, "--format", "text"});
  EXPECT_NE(report.out.find(run + " (stalled)"), std::string::npos) << report.out;
  LetThrough(fd);
  std::vector<std::string> again = command;
  again.insert(again.end(), {"--resume", run});
  EXPECT_EQ(RunProgram(again).code, 1);  // every case is an error
  EXPECT_EQ(ReadRun(data(), run).info.state(), v1::RUN_STATE_FINISHED);
}

TEST_F(ServeGateTest, CancellingTheWaitLeavesTheRunCancellingTheRunEndsIt) {
  std::string name;
  const auto agent = Agent(VendorPath("vendor_gate"), &name, {}, {"DIOPI_TEST_GATE=" + gate_});
  Running submit(SubmitCommand({"--fname", "relu", "--wait"}), {});
  const std::string run = RunIn(submit.WaitForLine("submitted"));
  const int fd = StandAtGate();
  submit.Signal(SIGINT);
  submit.Finish();
  EXPECT_NE(Agents().find("busy: run " + run), std::string::npos);
  Running watch(SubmitCommand({"--watch", run}), {});
  ASSERT_NE(watch.WaitForLine("running"), "");
  const Finished cancel = Submit({"--cancel", run});
  EXPECT_EQ(cancel.code, 0) << cancel.err;
  const Finished watched = watch.Finish();
  EXPECT_EQ(watched.code, 130) << watched.out;
  EXPECT_NE(watched.err.find("cancelled"), std::string::npos) << watched.err;
  LetThrough(fd);
  ASSERT_NE(agent->WaitForLine("ended with exit status 143"), "");
  EXPECT_EQ(RunProgram({BinPath("diopi-cli"), "runs", "--data", data()}).out.find("running"),
            std::string::npos);
  EXPECT_EQ(Submit({"--cancel", run}).code, 2);              // there is nothing left to cancel
  EXPECT_EQ(Submit({"--fname", "relu", "--wait"}).code, 1);  // and the agent is free again
}

// The disk is full while two agents start a run, for three tries of each: the run is done once there is room.
TEST_F(ServeTest, ADiskThatIsFullForAWhileCostsNoRun) {
  const std::string run = RunIn(Submit({"--fname", "relu"}).out);
  std::string name;
  std::vector<std::unique_ptr<Running>> agents;
  Running watch(SubmitCommand({"--watch", run}), {});
  ASSERT_NE(watch.WaitForLine("queued"), "");
  {
    const server::FullDisk full(server_->pid());
    const Finished refused = Submit({"--fname", "add"});
    EXPECT_EQ(refused.code, 4) << refused.out;
    EXPECT_NE(refused.err.find("results.db: cannot be read or written"), std::string::npos) << refused.err;
    for (int i = 0; i < 2; ++i) agents.push_back(Agent(LibPath("libdiopi_cpu.so"), &name));
    for (const auto& agent : agents) {
      for (int i = 0; i < 3; ++i)
        ASSERT_NE(agent->WaitForLine("Run " + run + ": ended with exit status 4"), "");
    }
  }
  const Finished watched = watch.Finish();
  EXPECT_EQ(watched.code, 0) << watched.out << watched.err;
  EXPECT_EQ(Runs().find("running"), std::string::npos) << Runs();
  EXPECT_EQ(Runs().find("queued"), std::string::npos) << Runs();  // the refused run left nothing
  const StoredRun stored = ReadRun(data(), run);
  EXPECT_EQ(stored.info.state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(stored.info.options().impl_sha256(), *Sha256OfFile(LibPath("libdiopi_cpu.so")));
}

TEST_F(ServeTest, AnAbortThatTheDiskDidNotTakeEndsTheWaitLater) {
  Running wait(SubmitCommand({"--fname", "relu", "--wait"}), {});
  const std::string run = RunIn(wait.WaitForLine("queued"));
  {
    const server::FullDisk full(server_->pid());
    EXPECT_EQ(Submit({"--cancel", run}).code, 0);
    EXPECT_NE(Runs().find("queued"), std::string::npos) << Runs();
  }
  const Finished waited = wait.Finish();
  EXPECT_EQ(waited.code, 130) << waited.out << waited.err;
  EXPECT_NE(waited.err.find("cancelled"), std::string::npos) << waited.err;
  EXPECT_NE(Runs().find("aborted"), std::string::npos) << Runs();
}

TEST_F(ServeGateTest, AgentsComeBackToARestartedServerAndQueuedRunsAreDone) {
  std::string name;
  const Finished early = Submit({"--fname", "relu"});  // no agent is there yet
  EXPECT_EQ(early.code, 0) << early.err;
  EXPECT_NE(early.err.find("no agent of chip 'c'"), std::string::npos) << early.err;
  const std::string queued = RunIn(early.out);
  server_->Signal(SIGKILL);
  server_->Finish();
  StartServer(address_);
  Running watch(SubmitCommand({"--watch", queued}), {});
  ASSERT_NE(watch.WaitForLine("queued"), "");
  // A watcher learns that the run has started, not only of the first verdict, which the gate holds back: the
  // case's time limit is longer than the test's.
  const auto agent =
      Agent(VendorPath("vendor_gate"), &name, {"--timeout-s", "600"}, {"DIOPI_TEST_GATE=" + gate_});
  ASSERT_NE(watch.WaitForLine("running"), "");
  const int fd = StandAtGate();
  // In the middle of the run, while a client watches.
  server_->Signal(SIGKILL);
  server_->Finish();
  StartServer(address_);
  EXPECT_EQ(NameIn(agent->WaitForLine("waiting for runs")), name);
  const std::string list = Agents();
  EXPECT_NE(list.find("busy: run " + queued), std::string::npos) << list;
  LetThrough(fd);
  const Finished watched = watch.Finish();
  EXPECT_EQ(watched.code, 1) << watched.out << watched.err;
  const StoredRun stored = ReadRun(data(), queued);
  EXPECT_EQ(stored.info.state(), v1::RUN_STATE_FINISHED);
}

// With tokens: a restarted server knows which agent works on which run before it could refuse that agent's
// calls.
TEST_F(ServeGateTest, AnAgentsRightToARunSurvivesARestartOfTheServer) {
  const std::string alice = Token("alice");
  std::string name;
  const auto agent = Agent(VendorPath("vendor_gate"), &name, {"--timeout-s", "600"},
                           {"DIOPI_TEST_GATE=" + gate_, Token("carol")});
  Running submit(SubmitCommand({"--fname", "relu", "--wait"}), {alice});
  const std::string run = RunIn(submit.WaitForLine("submitted"));
  const int fd = StandAtGate();
  server_->Signal(SIGKILL);
  server_->Finish();
  StartServer(address_);
  EXPECT_EQ(NameIn(agent->WaitForLine("waiting for runs")), name);
  LetThrough(fd);
  const Finished submitted = submit.Finish();
  EXPECT_EQ(submitted.code, 1) << submitted.out << submitted.err;  // every case is an error
  const StoredRun stored = ReadRun(data(), run);
  EXPECT_EQ(stored.info.state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(stored.info.options().owner(), "alice");
}

}  // namespace
}  // namespace diopi::testing
