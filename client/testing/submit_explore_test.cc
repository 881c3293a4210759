// diopi-cli submit --explore: standing agents explore, and those who wait get what diopi-agent --explore
// says.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "cases/base/sha256.h"
#include "client/testing/serve_testing.h"
#include "server/store/database.h"

namespace diopi::testing {
namespace {

class SubmitExploreTest : public ServeTest {
 protected:
  static v1::RunInfo Info(const std::string& run) {
    const auto database = server::Database::Open(server::DatabasePath(data()), {.read_only = true});
    EXPECT_TRUE(database.ok()) << database.status();
    return *(*database)->GetRun(run);
  }
};

TEST_F(SubmitExploreTest, TheStatusIsThatOfTheExploration) {
  std::string name;
  {
    const auto good = Agent(LibPath("libdiopi_cpu.so"), &name, {"--failure-debug-level", "1"});
    const Finished run = Submit({"--fname", "add", "--explore", "64", "--wait"});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_TRUE(absl::StrContains(run.out, "submitted, an exploration of 64 calls")) << run.out;
    EXPECT_TRUE(absl::StrContains(run.out, "finished, 64 of 64 calls, pass 64")) << run.out;
    good->Signal(SIGTERM);
    good->Finish();
  }
  const auto bad = Agent(VendorPath("libdiopi_mutants"), &name, {}, {"DIOPI_MUTANT=add_alpha_ignored"});
  const Finished failed = Submit({"--fname", "diopiAdd", "--dtype", "float32", "--explore", "1m", "--seed",
                                  "5", "--stop-on-first", "--label", "ticket=OPS-1", "--wait"});
  EXPECT_EQ(failed.code, 1) << failed.out << failed.err;
  const v1::RunInfo info = Info(RunIn(failed.out));
  EXPECT_EQ(info.state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(info.options().exploration().seed(), 5U);
  EXPECT_EQ(info.options().labels().at("ticket"), "OPS-1");
  EXPECT_EQ(info.options().impl_sha256(), *Sha256OfFile(VendorPath("libdiopi_mutants")));
  ASSERT_GT(info.exploration().causes_size(), 0);
  EXPECT_TRUE(absl::StrContains(info.exploration().causes(0).text(), "# Repeat: "))
      << info.exploration().causes(0).text();
  ASSERT_EQ(info.exploration().functions_size(), 1);
  EXPECT_EQ(info.exploration().functions(0).name(), "diopiAdd");
}

TEST_F(SubmitExploreTest, AnUploadedLibraryIsExplored) {
  std::string name;
  const auto agent = Agent(LibPath("libdiopi_cpu.so"), &name, {"--impl-upload"});
  // Every relu of it is an error.
  const Finished run =
      Submit({"--fname", "relu", "--explore", "20", "--impl", VendorPath("vendor_gate"), "--wait"});
  EXPECT_EQ(run.code, 1) << run.out << run.err;
  EXPECT_EQ(Info(RunIn(run.out)).options().impl_path(), "vendor_gate.so");
  EXPECT_TRUE(std::filesystem::is_empty(data() + "/uploads"));
}

// One agent has it; when that dies, the other begins it again. Cancelling ends it and the wait.
TEST_F(SubmitExploreTest, OutlivesItsAgent) {
  std::string first_name, second_name;
  const auto first = Agent(LibPath("libdiopi_cpu.so"), &first_name);
  Running submit(SubmitCommand({"--fname", "add", "--explore", "2h", "--wait"}), {});
  const std::string run = RunIn(submit.WaitForLine("submitted"));
  ASSERT_NE(submit.WaitForLine("running"), "");
  const auto second = Agent(LibPath("libdiopi_cpu.so"), &second_name);
  const std::string both = AgentsUntil("online");
  EXPECT_TRUE(absl::StrContains(both, "busy: run " + run)) << both;
  first->Signal(SIGKILL);
  first->Finish();
  ASSERT_NE(second->WaitForLine("Run " + run + ": begun"), "");
  EXPECT_EQ(Submit({"--cancel", run}).code, 0);
  const Finished cancelled = submit.Finish();
  EXPECT_EQ(cancelled.code, 130) << cancelled.out << cancelled.err;
  ASSERT_NE(second->WaitForLine("Run " + run + ": ended with"), "");
  EXPECT_EQ(Info(run).state(), v1::RUN_STATE_ABORTED);
}

// The process that explores dies again and again: nobody waits for ever.
TEST_F(SubmitExploreTest, IsAbortedWhenItsAgentsFailIt) {
  std::string name;
  const auto agent = Agent(LibPath("libdiopi_cpu.so"), &name);
  Running submit(SubmitCommand({"--fname", "add", "--explore", "2h", "--wait"}), {});
  const std::string run = RunIn(submit.WaitForLine("submitted"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_NE(agent->WaitForLine("Run " + run + ": begun"), "");
    std::vector<pid_t> children;
    while (children.empty()) children = ChildrenOf(agent->pid(), "diopi-agent");
    for (const pid_t child : children) kill(child, SIGKILL);
    ASSERT_NE(agent->WaitForLine("Run " + run + ": ended with"), "");
  }
  const Finished ended = submit.Finish();
  EXPECT_EQ(ended.code, 3) << ended.out << ended.err;
  EXPECT_EQ(Info(run).state(), v1::RUN_STATE_ABORTED);
  EXPECT_NE(Info(run).options().abort_reason(), "");
}

TEST_F(SubmitExploreTest, RefusesWhatDoesNotFit) {
  struct Row {
    std::vector<std::string> options;
    std::string text;
  };
  const Row rows[] = {
      {{"--explore", "2d"}, "expected a number of calls (5000) or a time (90s, 10m, 2h), found '2d'"},
      {{"--explore", "5", "--case", "add.*"}, "--case"},
      {{"--explore", "5", "--fname", "no_such_operator"}, "no_such_operator"},
      {{"--seed", "5"}, "--explore"},
  };
  for (const Row& row : rows) {
    const Finished run = Submit(row.options);
    EXPECT_EQ(run.code, 2) << run.out << run.err;
    EXPECT_TRUE(absl::StrContains(run.err, row.text)) << run.err;
  }
}

}  // namespace
}  // namespace diopi::testing
