// ReadVerdicts and ListRuns as a remote gate uses them: from a real server, on a loopback port.
#include "server/rpc/verdict_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "server/rpc/server_testing.h"
#include "server/rpc/status.h"

namespace diopi::server {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int kManyCases = 3000;
constexpr size_t kReasonBytes = 1000;

struct Stream {
  std::vector<v1::VerdictBatch> batches;
  absl::Status status;
  std::vector<std::string> case_ids() const {
    std::vector<std::string> ids;
    for (const v1::VerdictBatch& batch : batches) {
      for (const v1::Verdict& verdict : batch.verdicts()) ids.push_back(verdict.case_id());
    }
    return ids;
  }
};

Stream Read(v1::Conformance::Stub& stub, const v1::ReadVerdictsRequest& request) {
  grpc::ClientContext context;
  const auto reader = stub.ReadVerdicts(&context, request);
  Stream stream;
  v1::VerdictBatch batch;
  while (reader->Read(&batch)) stream.batches.push_back(batch);
  stream.status = FromGrpc(reader->Finish());
  return stream;
}

// A run with verdicts on cases "case.0000" and on, in the data folder of `server`.
std::string AddRun(const TestServer& server, int cases) {
  const auto database = Database::Open(DatabasePath(server.data_folder()), {});
  std::vector<RunCase> covered;
  std::vector<v1::Verdict> verdicts;
  for (int i = 0; i < cases; ++i) {
    // In reverse order.
    const std::string id = absl::StrCat("case.", 10000 - i);
    covered.push_back({id, "hash", "diopiAdd", "add"});
    v1::Verdict& verdict = verdicts.emplace_back();
    verdict.set_case_id(id);
    verdict.set_case_hash("hash");
    verdict.set_outcome(i == 3 ? v1::OUTCOME_FAIL : v1::OUTCOME_PASS);
    verdict.set_reason(std::string(kReasonBytes, 'r'));
    verdict.add_outputs()->set_key("out");
  }
  const auto run = (*database)->AddFinishedRun(TestOptions({}), "s", covered, verdicts);
  EXPECT_TRUE(run.ok()) << run.status();
  return run.ok() ? run->run_id() : "";
}

TEST(VerdictStreamTest, ARunInBoundedBatches) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = AddRun(server, kManyCases);
  v1::ReadVerdictsRequest request;
  request.set_run_id("latest");
  const Stream stream = Read(agent.stub(), request);
  ASSERT_TRUE(stream.status.ok()) << stream.status;
  EXPECT_GE(stream.batches.size(), kManyCases * kReasonBytes / (256 << 10));
  EXPECT_EQ(stream.batches[0].run().run_id(), run);
  EXPECT_EQ(stream.batches[0].run().state(), v1::RUN_STATE_FINISHED);
  EXPECT_EQ(stream.batches[0].run().outcomes().at("fail"), 1);
  for (size_t i = 0; i < stream.batches.size(); ++i) {
    const v1::VerdictBatch& batch = stream.batches[i];
    EXPECT_EQ(batch.has_run(), i == 0);
    EXPECT_LT(batch.ByteSizeLong(),
              (256u << 10) + 4 * kReasonBytes + batch.run().ByteSizeLong() + (size_t{8} << 10));
    ASSERT_EQ(batch.positions_size(), batch.verdicts_size());
    for (int v = 0; v < batch.verdicts_size(); ++v) {
      EXPECT_EQ(batch.verdicts(v).case_id(), absl::StrCat("case.", 10000 - batch.positions(v)));
    }
  }
  const std::vector<std::string> ids = stream.case_ids();
  EXPECT_EQ(ids.size(), static_cast<size_t>(kManyCases));
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
}

TEST(VerdictStreamTest, WhatIsAskedFor) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = AddRun(server, 5);
  struct Row {
    const char* what;
    std::function<void(v1::ReadVerdictsRequest*)> change;
    std::vector<std::string> cases;
    int outputs;
  };
  const std::vector<Row> rows = {
      {"all", [](auto*) {}, {"case.10000", "case.9996", "case.9997", "case.9998", "case.9999"}, 1},
      {"failed", [](auto* r) { r->add_outcomes(v1::OUTCOME_FAIL); }, {"case.9997"}, 1},
      {"no outputs",
       [](auto* r) {
         r->add_outcomes(v1::OUTCOME_FAIL);
         r->set_without_outputs(true);
       },
       {"case.9997"},
       0},
      {"the rest", [](auto* r) { r->set_after("case.9997"); }, {"case.9998", "case.9999"}, 1},
      {"nothing", [](auto* r) { r->add_outcomes(v1::OUTCOME_CRASH); }, {}, 0},
  };
  for (const Row& row : rows) {
    v1::ReadVerdictsRequest request;
    request.set_run_id(run);
    row.change(&request);
    const Stream stream = Read(agent.stub(), request);
    ASSERT_TRUE(stream.status.ok()) << row.what << ": " << stream.status;
    EXPECT_EQ(stream.case_ids(), row.cases) << row.what;
    ASSERT_FALSE(stream.batches.empty()) << row.what;
    EXPECT_EQ(stream.batches[0].run().run_id(), run) << row.what;
    if (!row.cases.empty()) {
      EXPECT_EQ(stream.batches[0].verdicts(0).outputs_size(), row.outputs) << row.what;
    }
  }
}

TEST(VerdictStreamTest, WhatCannotBeServed) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  const std::string run = AddRun(server, 1);
  struct Row {
    std::function<void(v1::ReadVerdictsRequest*)> change;
    absl::StatusCode code;
    std::string says;
  };
  const std::vector<Row> rows = {
      {[](auto* r) { r->set_run_id("20010101-000000-0000"); }, absl::StatusCode::kNotFound,
       absl::StrCat("no run '20010101-000000-0000'; ")},
      {[](auto* r) { r->set_run_id("../x"); }, absl::StatusCode::kInvalidArgument, "is not a run id"},
      {[](auto* r) { r->add_outcomes(static_cast<v1::Outcome>(77)); }, absl::StatusCode::kInvalidArgument,
       "there is no outcome with the number 77"},
      {[](auto* r) { r->set_after(std::string(2000, 'x')); }, absl::StatusCode::kInvalidArgument,
       "after has 2000 bytes; the limit is 1024"},
  };
  for (const Row& row : rows) {
    v1::ReadVerdictsRequest request;
    request.set_run_id(run);
    row.change(&request);
    const Stream stream = Read(agent.stub(), request);
    EXPECT_EQ(stream.status.code(), row.code) << stream.status;
    EXPECT_THAT(std::string(stream.status.message()), HasSubstr(row.says));
    EXPECT_TRUE(stream.batches.empty());
  }
}

TEST(VerdictStreamTest, TheSinksErrorEndsIt) {
  TestServer server;
  const std::string run = AddRun(server, kManyCases);
  const auto database = Database::Open(DatabasePath(server.data_folder()), {});
  v1::ReadVerdictsRequest request;
  request.set_run_id(run);
  int batches = 0;
  const absl::Status status = SendVerdicts(database->get(), request, [&](const v1::VerdictBatch&) {
    return ++batches == 2 ? absl::CancelledError("gone") : absl::OkStatus();
  });
  EXPECT_TRUE(absl::IsCancelled(status)) << status;
  EXPECT_EQ(batches, 2);
}

TEST(VerdictStreamTest, RunsBeforeOne) {
  TestServer server;
  TestAgent agent = server.Agent("a");
  std::vector<std::string> runs;
  runs.reserve(3);
  for (int i = 0; i < 3; ++i) runs.push_back(AddRun(server, 1));
  const auto list = [&](const std::string& before) {
    v1::ListRunsRequest request;
    request.set_before(before);
    grpc::ClientContext context;
    v1::ListRunsResponse response;
    const grpc::Status status = agent.stub().ListRuns(&context, request, &response);
    std::vector<std::string> ids;
    for (const v1::RunInfo& run : response.runs()) ids.push_back(run.run_id());
    if (!status.ok()) ids.push_back(status.error_message());
    return ids;
  };
  EXPECT_THAT(list(""), ElementsAre(runs[2], runs[1], runs[0]));
  EXPECT_THAT(list(runs[2]), ElementsAre(runs[1], runs[0]));
  EXPECT_THAT(list(runs[0]), ElementsAre());
  EXPECT_THAT(list("a/b"), ElementsAre(HasSubstr("before is not a run id")));
}

}  // namespace
}  // namespace diopi::server
