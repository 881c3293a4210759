// Explorations through the service: begun, reported, ended; and what they and runs refuse of each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/rpc/server_testing.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

v1::CreateRunRequest Asked(const std::vector<std::string>& functions = {"add"}) {
  v1::CreateRunRequest request;
  *request.mutable_options() = TestOptions(functions);
  request.mutable_options()->mutable_exploration()->set_calls(100);
  return request;
}

v1::ReportRequest Report(const std::string& run_id, int64_t calls) {
  v1::ReportRequest request;
  request.set_run_id(run_id);
  request.set_agent_id("a");
  request.mutable_exploration()->set_calls(calls);
  (*request.mutable_exploration()->mutable_outcomes())["fail"] = 1;
  return request;
}

TEST(ExplorationServiceTest, BeginsReportsAndEnds) {
  TestServer server(/*with_baselines=*/false);
  TestAgent agent = server.Agent("a");
  const auto begun = agent.CreateRun(Asked());
  ASSERT_TRUE(begun.ok()) << begun.status();
  EXPECT_EQ(begun->cases(), 100);                // calls
  EXPECT_EQ(begun->without_baseline_size(), 0);  // it needs none
  ASSERT_TRUE(agent.Report(Report(begun->run_id(), 10)).ok());
  ASSERT_TRUE(agent.Report(Report(begun->run_id(), 20)).ok());
  EXPECT_EQ(agent.GetRun(begun->run_id())->done(), 20);
  const auto ended = agent.Finish(begun->run_id(), /*aborted=*/false);
  ASSERT_TRUE(ended.ok()) << ended.status();
  EXPECT_EQ(ended->state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(ended->outcomes().at("fail"), 1);
  const absl::Status late = agent.Report(Report(begun->run_id(), 30)).status();
  EXPECT_EQ(late.code(), absl::StatusCode::kFailedPrecondition) << late;
  EXPECT_EQ(agent.GetRun(begun->run_id())->done(), 20);
  const std::string stopped = agent.CreateRun(Asked())->run_id();
  EXPECT_EQ(agent.Finish(stopped, /*aborted=*/true)->state(), v1::RUN_STATE_ABORTED);
}

// A server that restarts knows it again.
TEST(ExplorationServiceTest, OutlivesItsServer) {
  TestServer server;
  const std::string id = server.Agent("a").CreateRun(Asked())->run_id();
  server.Stop();
  server.Start();
  TestAgent agent = server.Agent("a");
  EXPECT_TRUE(agent.Report(Report(id, 10)).ok());
  EXPECT_EQ(agent.Finish(id, false)->state(), v1::RUN_STATE_FINISHED);
}

TEST(ExplorationServiceTest, IsNoRun) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"add"})->run_id();
  const std::string id = agent.CreateRun(Asked())->run_id();
  EXPECT_EQ(agent.GetRun("latest")->run_id(), run);
  const auto refused = [](const absl::Status& status, const std::string& text) {
    EXPECT_TRUE(absl::IsFailedPrecondition(status) || absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
  };
  refused(agent.Resume(id).status(), "is an exploration");
  v1::CreateRunRequest as_exploration = Asked();
  as_exploration.set_resume_run(run);
  refused(agent.CreateRun(as_exploration).status(), "is no exploration");
  refused(agent.Report(Report(run, 1)).status(), "is not an exploration");
  ASSERT_TRUE(agent.Finish(id, false).ok());
  v1::CreateRunRequest again = Asked();
  again.set_resume_run(id);
  refused(agent.CreateRun(again).status(), "is finished: start another");
  grpc::ClientContext context;
  v1::ReadVerdictsRequest verdicts;
  verdicts.set_run_id(id);
  v1::VerdictBatch batch;
  const auto reader = agent.stub().ReadVerdicts(&context, verdicts);
  EXPECT_FALSE(reader->Read(&batch));
  EXPECT_THAT(reader->Finish().error_message(), HasSubstr("which has no verdicts"));
}

TEST(ExplorationServiceTest, RefusesWhatMakesNoSense) {
  struct Row {
    void (*change)(v1::RunOptions* options);
    const char* text;
  };
  const Row rows[] = {
      {[](v1::RunOptions* options) { options->mutable_exploration()->clear_calls(); }, "above 0"},
      {[](v1::RunOptions* options) { options->mutable_exploration()->set_seconds(-1); }, "above 0"},
      {[](v1::RunOptions* options) { options->mutable_selection()->set_suite("smoke"); },
       "no cases, suite or shard"},
      {[](v1::RunOptions* options) { options->set_shard_count(2); }, "no cases, suite or shard"},
      {[](v1::RunOptions* options) { options->mutable_selection()->add_functions("ad"); }, "ad"},
  };
  TestServer server;
  TestAgent agent = server.Agent("a");
  for (const Row& row : rows) {
    v1::CreateRunRequest request = Asked();
    row.change(request.mutable_options());
    const absl::Status status = agent.CreateRun(request).status();
    EXPECT_FALSE(status.ok()) << row.text;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.text));
  }
}

}  // namespace
}  // namespace diopi::server
