// Requests that cannot be served, and their error messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "server/rpc/server_testing.h"
#include "server/rpc/status.h"

namespace diopi::server {
namespace {

using ::testing::HasSubstr;

TEST(RequestErrorsTest, CreateRun) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  struct Row {
    std::function<void(v1::CreateRunRequest*)> change;
    absl::StatusCode code;
    std::string says;
  };
  const std::vector<Row> rows = {
      {[](auto* r) { r->mutable_options()->mutable_selection()->add_functions("rleu"); },
       absl::StatusCode::kNotFound, "relu"},
      {[](auto* r) { r->mutable_options()->mutable_selection()->add_cases("add.float32.smal"); },
       absl::StatusCode::kNotFound, "add.float32.small"},
      {[](auto* r) { r->mutable_options()->mutable_selection()->set_suite("everything"); },
       absl::StatusCode::kInvalidArgument, "everything"},
      {[](auto* r) { r->mutable_options()->set_repeat(-1); }, absl::StatusCode::kInvalidArgument, "-1"},
      {[](auto* r) { r->mutable_options()->set_timeout_s(-2); }, absl::StatusCode::kInvalidArgument, "-2"},
      {[](auto* r) { r->mutable_options()->set_shard_index(3); }, absl::StatusCode::kInvalidArgument,
       "no shard 3 of 0"},
      {[](auto* r) {
         r->mutable_options()->set_shard_index(4);
         r->mutable_options()->set_shard_count(4);
       },
       absl::StatusCode::kInvalidArgument, "no shard 4 of 4"},
      {[](auto* r) { r->mutable_options()->add_contracts("tf33"); }, absl::StatusCode::kInvalidArgument,
       "unknown contract 'tf33'; known: tf32"},
      {[](auto* r) { r->set_resume_run("20010101-000000-0000"); }, absl::StatusCode::kNotFound,
       "20010101-000000-0000"},
  };
  for (const Row& row : rows) {
    v1::CreateRunRequest request;
    *request.mutable_options() = TestOptions({});
    row.change(&request);
    const absl::Status status = agent.CreateRun(request).status();
    EXPECT_EQ(status.code(), row.code) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
  EXPECT_TRUE(absl::IsNotFound(agent.GetRun("latest").status()));  // none was left behind
}

TEST(RequestErrorsTest, LeaseAndFinish) {
  TestServer server;
  const std::string run = server.Agent("a").CreateRun({"relu"})->run_id();
  struct Row {
    std::string agent;
    std::string run;
    absl::StatusCode code;
    std::string says;
  };
  const std::vector<Row> rows = {
      {"", run, absl::StatusCode::kInvalidArgument, "agent_id"},
      {"a", "nope", absl::StatusCode::kNotFound, "there are " + run},
      {"a", "", absl::StatusCode::kNotFound, run},
  };
  for (const Row& row : rows) {
    TestAgent agent = server.Agent(row.agent);
    for (const absl::Status& status : {agent.Lease(row.run, 1).status, agent.Finish(row.run, false).status(),
                                       agent.Report(row.run, {}).status()}) {
      EXPECT_EQ(status.code(), row.code) << status;
      EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
    }
  }
}

TEST(RequestErrorsTest, AReportWithOneBadVerdictStoresNothing) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = agent.CreateRun({"relu"})->run_id();
  const std::vector<v1::Case> cases = TestCases("relu");
  struct Row {
    std::function<void(v1::Verdict*)> change;
    std::string says;
  };
  const std::vector<Row> rows = {
      {[](v1::Verdict* v) { v->set_case_id("add.float32.small"); }, "add.float32.small"},
      {[](v1::Verdict* v) { v->set_case_hash("0"); }, "another version"},
      {[](v1::Verdict* v) { v->set_outcome(v1::OUTCOME_UNSPECIFIED); }, "no known outcome"},
      {[](v1::Verdict* v) { v->set_outcome(static_cast<v1::Outcome>(77)); }, "no known outcome"},
      {[](v1::Verdict* v) {
         v1::Finding* finding = v->add_findings();
         for (int i = 0; i < 8; ++i) finding = finding->add_parts();
       },
       "nest too deeply"},
  };
  for (const Row& row : rows) {
    v1::ReportRequest request;
    request.set_run_id(run);
    request.set_agent_id("a");
    *request.add_verdicts() = PassOf(cases[0]);
    *request.add_verdicts() = PassOf(cases[1]);
    row.change(request.mutable_verdicts(1));
    const absl::Status status = agent.Report(request).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.says));
  }
  EXPECT_EQ(agent.GetRun(run)->done(), 0);
}

TEST(RequestErrorsTest, StatusesSurviveTheWay) {
  for (int code = 0; code <= 16; ++code) {
    const absl::Status status(static_cast<absl::StatusCode>(code), "words");
    EXPECT_EQ(FromGrpc(ToGrpc(status)), status);
  }
}

}  // namespace
}  // namespace diopi::server
